/// Consecutive frames of one key: the frames of a segment, or those that were copied of it.
///
/// Only the last one can be shorter than ``Frame/size``.
struct SealedRun: Sendable, Hashable {
    /// The bytes of plaintext; at least 1.
    let size: Int64
    /// The number of the first frame.
    let first: Int64
    let key: FrameKey

    /// The number of sealed bytes.
    var sealedSize: Int64 { Frame.sealed(size) }
}

/// The runs of an object, and where each byte of the plaintext is.
struct SealedRuns: Sendable {
    let runs: [SealedRun]
    /// The offsets of each run in the plaintext and in the object, and those of the end.
    private let starts: [(plain: Int64, sealed: Int64)]

    init(_ runs: [SealedRun]) {
        self.runs = runs
        var starts: [(plain: Int64, sealed: Int64)] = [(0, 0)]
        starts.reserveCapacity(runs.count + 1)
        for run in runs {
            let last = starts[starts.count - 1]
            starts.append((last.plain + run.size, last.sealed + run.sealedSize))
        }
        self.starts = starts
    }

    /// The number of bytes of plaintext.
    var size: Int64 { starts[starts.count - 1].plain }

    /// The number of sealed bytes.
    var sealedSize: Int64 { starts[starts.count - 1].sealed }

    /// One frame of an object.
    struct Place: Equatable {
        /// The index of the run.
        var run: Int
        /// The index of the frame in the run.
        var frame: Int64
    }

    /// The frame with a byte of the plaintext, which must exist.
    func place(of offset: Int64) -> Place {
        var (low, high) = (0, runs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle].plain <= offset { low = middle } else { high = middle }
        }
        return Place(run: low, frame: (offset - starts[low].plain) / Frame.size)
    }

    /// The frame behind another; `nil` at the end.
    func next(_ place: Place) -> Place? {
        if place.frame + 1 < Frame.count(runs[place.run].size) {
            return Place(run: place.run, frame: place.frame + 1)
        }
        return place.run + 1 < runs.count ? Place(run: place.run + 1, frame: 0) : nil
    }

    /// The bytes of the plaintext in a frame.
    func plain(_ place: Place) -> Range<Int64> {
        let start = starts[place.run].plain + place.frame * Frame.size
        return start..<min(start + Frame.size, starts[place.run + 1].plain)
    }

    /// The bytes of a frame in the object.
    func sealed(_ place: Place) -> Range<Int64> {
        let start = starts[place.run].sealed + place.frame * Frame.sealedSize
        return start..<min(start + Frame.sealedSize, starts[place.run + 1].sealed)
    }

    /// The bytes of the object that have a range of the plaintext: whole frames.
    func sealed(_ range: Range<Int64>) -> Range<Int64> {
        guard !range.isEmpty else { return 0..<0 }
        let (first, last) = (place(of: range.lowerBound), place(of: range.upperBound - 1))
        return sealed(first).lowerBound..<sealed(last).upperBound
    }
}
