internal import Domain
internal import Glibc
internal import NIOCore

/// The bytes of a source while a job runs.
enum SourceBytes {
    /// A file; its offset is nobody's.
    case descriptor(CInt)
    case memory(UnsafeRawBufferPointer)

    /// How many there are.
    var count: Int {
        switch self {
        case .memory(let bytes): return bytes.count
        case .descriptor(let descriptor):
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        }
    }

    /// Up to `count` bytes from `offset`; fewer only at the end or when the file cannot be read.
    func read(at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: min(count, max(0, self.count - offset))) { free, filled in
            filled = read(at: offset, into: UnsafeMutableRawBufferPointer(free))
        }
    }

    /// All of them.
    func readAll() -> [UInt8] {
        read(at: 0, count: count)
    }

    /// Fills memory from `offset` on; less of it only at the end or when the file cannot be read.
    func read(at offset: Int, into free: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .memory(let bytes):
            guard offset >= 0, offset < bytes.count else { return 0 }
            let count = min(free.count, bytes.count - offset)
            free.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            return count
        case .descriptor(let descriptor):
            var filled = 0
            while filled < free.count {
                let read = pread(
                    descriptor,
                    free.baseAddress.map { $0 + filled },
                    free.count - filled,
                    off_t(offset + filled)
                )
                if read < 0, errno == EINTR { continue }
                if read <= 0 { break }
                filled += read
            }
            return filled
        }
    }
}

extension ImageSource {
    /// Lends the bytes to a job, and keeps them as long as it runs.
    func withBytes<Result>(_ job: (SourceBytes) throws -> Result) throws -> Result {
        switch self {
        case .file(let blob, let descriptor):
            try withExtendedLifetime(blob) { try job(.descriptor(descriptor)) }
        case .memory(let bytes):
            try bytes.withUnsafeReadableBytes { try job(.memory($0)) }
        }
    }
}
