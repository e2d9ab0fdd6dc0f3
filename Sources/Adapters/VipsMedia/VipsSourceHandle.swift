internal import CVips
internal import Glibc

/// Where libvips reads from.
struct VipsSourceHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsSource>

    /// Reads bytes, which must outlive the images made of them: libvips does not copy.
    ///
    /// - Parameters:
    ///   - bytes: Read by position, so that several jobs may share a descriptor.
    ///   - watch: Ends the reading when the job must stop, also where libvips itself would not ask: a PNG's end may
    ///     inflate to gigabytes that no pixel needs. Nothing in the worker process, which is killed.
    init(_ bytes: SourceBytes, watch: JobWatch?) {
        let reader = Unmanaged.passRetained(SourceReader(bytes, watch))
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

/// Reads on where it stands; used by one job's thread.
private final class SourceReader {
    private let bytes: SourceBytes
    private let watch: JobWatch?
    private let size: Int
    private var position: Int = 0

    init(_ bytes: SourceBytes, _ watch: JobWatch?) {
        self.bytes = bytes
        self.watch = watch
        size = Int(bytes.count)
    }

    /// How many bytes were read; 0 at the end, -1 if the job must stop.
    func read(into free: UnsafeMutableRawBufferPointer) -> Int {
        guard watch?.mustStop != true else { return -1 }
        let count = bytes.read(at: Int(position), into: free)
        position += Int(count)
        return Int(count)
    }

    /// The new place; -1 if there is none.
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
