/// Which segment has the current bytes of each range.
struct SegmentMap: Sendable {
    /// A range whose current bytes a segment has.
    struct Piece: Hashable, Sendable {
        var range: Range<Int64>
        let segment: StagedSegment

        /// The range in the object of the segment.
        var objectRange: Range<Int64> {
            range.lowerBound - segment.offset..<range.upperBound - segment.offset
        }

        /// The bytes of the object with the range, which begins and ends at frames if the segment is encrypted.
        var storedRange: Range<Int64> {
            segment.sealed.map { $0.sealed(objectRange) } ?? objectRange
        }

        /// The part from an offset on that the store can copy into a blob: whole frames of an encrypted segment.
        ///
        /// - Parameters:
        ///   - start: The offset, not behind the piece.
        ///   - isSealed: Whether the blob is encrypted.
        /// - Returns: The part; empty at the end of the piece if there is none.
        func copyable(from start: Int64, isSealed: Bool) -> Range<Int64> {
            let none = range.upperBound..<range.upperBound
            guard (segment.seal != nil) == isSealed else { return none }
            guard isSealed else { return start..<range.upperBound }
            let first = segment.offset + (start - segment.offset + Frame.size - 1) / Frame.size * Frame.size
            let rest = (range.upperBound - segment.offset) % Frame.size
            // Only the last frame of a segment is shorter.
            let end = range.upperBound == segment.range.upperBound ? range.upperBound : range.upperBound - rest
            return first < end ? first..<end : none
        }

        /// Whether the range is the whole object.
        var isWhole: Bool { range == segment.range }
    }

    /// The pieces, in their order, without overlaps.
    private(set) var pieces: [Piece] = []

    /// Creates the map of segments in any order.
    init(_ segments: some Sequence<StagedSegment> = []) {
        var runs: [(number: Int, range: Range<Int64>, segment: StagedSegment)] = []
        for segment in segments {
            guard segment.size != nil else {
                runs.append((segment.number, segment.range, segment))
                continue
            }
            var offset = segment.offset
            for run in segment.runs {
                runs.append((run.number, offset..<offset + run.size, segment))
                offset += run.size
            }
        }
        // A joined segment has the bytes of those of which it was joined, with their numbers.
        runs.sort { left, right in
            guard left.number == right.number else { return left.number < right.number }
            let (before, after) = (left.segment.runs.count, right.segment.runs.count)
            return before == after ? left.segment.name < right.segment.name : before < after
        }
        for run in runs { add(run.segment, run.range) }
    }

    /// Creates the map of consecutive pieces.
    init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// Adds a segment that is newer than all others.
    mutating func add(_ segment: StagedSegment) {
        add(segment, segment.range)
    }

    private mutating func add(_ segment: StagedSegment, _ range: Range<Int64>) {
        guard segment.size != nil else {
            remove(segment.offset..<Int64.max)
            return
        }
        var index = remove(range)
        pieces.insert(Piece(range: range, segment: segment), at: index)
        // Neighbours of the same object are one piece.
        if index > 0, pieces[index - 1].segment == segment, pieces[index - 1].range.upperBound == range.lowerBound {
            pieces[index - 1].range = pieces[index - 1].range.lowerBound..<range.upperBound
            pieces.remove(at: index)
            index -= 1
        }
        let next = index + 1
        if next < pieces.count, pieces[next].segment == segment,
            pieces[next].range.lowerBound == pieces[index].range.upperBound
        {
            pieces[index].range = pieces[index].range.lowerBound..<pieces[next].range.upperBound
            pieces.remove(at: next)
        }
    }

    /// The offset after the last byte.
    var extent: Int64 { pieces.last?.range.upperBound ?? 0 }

    /// The pieces of a range, cut at its ends.
    func pieces(in range: Range<Int64>) -> [Piece] {
        var found: [Piece] = []
        for piece in pieces[firstIndex(endingAfter: range.lowerBound)...] {
            guard piece.range.lowerBound < range.upperBound else { break }
            found.append(Piece(range: piece.range.clamped(to: range), segment: piece.segment))
        }
        return found
    }

    /// Whether there are bytes everywhere in a range.
    func covers(_ range: Range<Int64>) -> Bool {
        var position = range.lowerBound
        for piece in pieces(in: range) {
            guard piece.range.lowerBound == position else { return false }
            position = piece.range.upperBound
        }
        return position == range.upperBound
    }

    /// Removes a range; returns the index of the first piece behind its beginning.
    @discardableResult private mutating func remove(_ range: Range<Int64>) -> Int {
        let first = firstIndex(endingAfter: range.lowerBound)
        var end = first
        while end < pieces.count, pieces[end].range.lowerBound < range.upperBound { end += 1 }
        var rest: [Piece] = []
        for piece in pieces[first..<end] {
            if piece.range.lowerBound < range.lowerBound {
                rest.append(Piece(range: piece.range.lowerBound..<range.lowerBound, segment: piece.segment))
            }
        }
        let index = first + rest.count
        for piece in pieces[first..<end] where piece.range.upperBound > range.upperBound {
            rest.append(Piece(range: range.upperBound..<piece.range.upperBound, segment: piece.segment))
        }
        pieces.replaceSubrange(first..<end, with: rest)
        return index
    }

    private func firstIndex(endingAfter offset: Int64) -> Int {
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].range.upperBound > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
