internal import CVips
internal import Glibc

/// A source from which libvips reads.
struct VipsSourceHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsSource>

    /// Creates a source of bytes, which must outlive the images created from it: libvips does not copy.
    ///
    /// libvips does not see the compressed texts of a PNG, which no result has and which libpng would inflate at each
    /// opening.
    ///
    /// - Parameters:
    ///   - bytes: Read at explicit offsets, so that several jobs can share a descriptor.
    ///   - watch: Ends the reading when the job must stop, also where libvips does not check: a PNG's end can inflate
    ///     to gigabytes that no pixel needs. `nil` in the worker process, which is killed instead.
    init(_ bytes: SourceBytes, watch: JobWatch?) {
        let window = ByteWindow(budget: HeaderReader.walk, reading: bytes.read(at:count:))
        let texts = (try? PNGFacts(window))?.textRanges ?? []
        let reader = Unmanaged.passRetained(SourceReader(VisibleBytes(bytes, without: texts), watch))
        pointer = cvips_source_new(
            { _, buffer, length, data in
                guard let buffer, let data else { return -1 }
                let free = UnsafeMutableRawBufferPointer(start: buffer, count: Int(length))
                return Unmanaged<SourceReader>.fromOpaque(data).takeUnretainedValue().read(into: free)
            },
            { _, offset, whence, data in
                guard let data else { return -1 }
                return Unmanaged<SourceReader>.fromOpaque(data).takeUnretainedValue().seek(to: offset, from: whence)
            },
            reader.toOpaque(),
            { data, _ in if let data { Unmanaged<SourceReader>.fromOpaque(data).release() } }
        )
    }

    deinit {
        g_object_unref(pointer)
    }
}

/// Reads from the current offset; used by one job's thread.
private final class SourceReader {
    private let bytes: VisibleBytes
    private let watch: JobWatch?
    private let size: Int
    private var position: Int = 0

    init(_ bytes: VisibleBytes, _ watch: JobWatch?) {
        self.bytes = bytes
        self.watch = watch
        size = bytes.count
    }

    /// Reads bytes and returns their number; 0 at the end, -1 if the job must stop.
    func read(into free: UnsafeMutableRawBufferPointer) -> Int {
        guard watch?.mustStop != true else { return -1 }
        let count = bytes.read(at: Int(position), into: free)
        position += Int(count)
        return Int(count)
    }

    /// Sets the offset and returns it; -1 if it is invalid.
    func seek(to offset: Int, from whence: CInt) -> Int {
        let base =
            switch whence {
            case SEEK_SET: Int(0)
            case SEEK_CUR: position
            default: size
            }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, place >= 0 else { return -1 }
        position = place
        return place
    }
}
