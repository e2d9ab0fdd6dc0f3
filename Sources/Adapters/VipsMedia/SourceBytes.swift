internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// The bytes of a source while a job runs.
enum SourceBytes {
    /// The first `count` bytes of a file: other bytes can follow. The file's own offset is not used.
    case descriptor(CInt, count: Int, failure: ReadFailure? = nil)
    case memory(UnsafeRawBufferPointer)
    /// The first bytes of an image of `count` bytes, whose other bytes are not available.
    case head(UnsafeRawBufferPointer, count: Int, end: HeadEnd)

    /// The number of bytes of the source.
    var count: Int {
        switch self {
        case .memory(let bytes): bytes.count
        case .descriptor(_, let count, _), .head(_, let count, _): count
        }
    }

    /// Up to `count` bytes from `offset`; fewer only at the end or when the file cannot be read.
    func read(at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: min(count, max(0, self.count - offset))) { free, filled in
            filled = read(at: offset, into: UnsafeMutableRawBufferPointer(free))
        }
    }

    /// All bytes.
    func readAll() -> [UInt8] {
        read(at: 0, count: count)
    }

    /// Provides all bytes at once; those of a file are read into memory for it.
    func withAll(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        switch self {
        case .memory(let bytes): try body(bytes)
        case .descriptor, .head: try readAll().withUnsafeBytes(body)
        }
    }

    /// Fills memory with bytes from `offset`; only partially at the end or when the file cannot be read.
    func read(at offset: Int, into free: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .memory(let bytes):
            return SourceBytes.copy(bytes, from: offset, into: free)
        case .head(let bytes, let count, let end):
            let wanted = min(free.count, count - min(max(0, offset), count))
            let copied = SourceBytes.copy(bytes, from: offset, into: free)
            if copied < wanted { end.pass() }
            return copied
        case .descriptor(let descriptor, let count, let failure):
            let wanted = min(free.count, count - min(max(0, offset), count))
            var filled = 0
            while filled < wanted {
                let read = pread(
                    descriptor,
                    free.baseAddress.map { $0 + filled },
                    wanted - filled,
                    off_t(offset + filled)
                )
                if read < 0, errno == EINTR { continue }
                if read < 0 { failure?.note(errno) }
                if read <= 0 { break }
                filled += read
            }
            return filled
        }
    }
}

extension SourceBytes {
    private static func copy(
        _ bytes: UnsafeRawBufferPointer,
        from offset: Int,
        into free: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard offset >= 0, offset < bytes.count else { return 0 }
        let count = min(free.count, bytes.count - offset)
        free.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        return count
    }
}

/// The end of the first bytes of an image; for the threads that read them.
final class HeadEnd: Sendable {
    private let passed = Atomic(false)

    /// Whether a reader requested bytes after the end, so that its result can be wrong.
    var isPassed: Bool { passed.load(ordering: .relaxed) }

    /// Records that a reader requested bytes after the end.
    func pass() {
        passed.store(true, ordering: .relaxed)
    }
}

extension ImageSource {
    /// Provides the bytes to a job, and retains them while it runs.
    func withBytes<Result>(_ job: (SourceBytes) throws -> Result) throws -> Result {
        switch self {
        case .file(let blob, let file):
            try file.withDescriptor { descriptor in
                let failure = ReadFailure()
                let result = Swift.Result { try job(.descriptor(descriptor, count: Int(blob.size), failure: failure)) }
                // Decoders treat a failed read as the end of the file: their image or their error is then wrong.
                try failure.require(allOf: blob, in: descriptor)
                return try result.get()
            }
        case .memory(let bytes):
            try bytes.withUnsafeReadableBytes { try job(.memory($0)) }
        }
    }
}

/// Records that a source could not be read while a job ran; for the threads that decode it.
final class ReadFailure: Sendable {
    private let number = Atomic<CInt>(0)

    /// Records the error number.
    func note(_ error: CInt) {
        number.store(error, ordering: .relaxed)
    }

    /// - Throws: ``ServiceError/unreadable(_:)`` if a read failed, or if the file has become shorter than its blob.
    func require(allOf blob: any OpenBlob, in descriptor: CInt) throws {
        let error = number.load(ordering: .relaxed)
        var status = stat()
        if error == 0, fstat(descriptor, &status) == 0, Int64(status.st_size) >= blob.size { return }
        blob.noteDamage()
        throw ServiceError.unreadable(
            error == 0
                ? UnreadableBlob(size: Int64(status.st_size), expected: blob.size)
                : UnreadableBlob("pread: \(String(cString: strerror(error)))")
        )
    }
}
