internal import Domain
internal import Glibc
internal import NIOCore
internal import S3

/// The bytes of staged bytes, for requests on threads that block.
enum S3StagedSource: Sendable {
    /// They are on this machine and are read as they are sent.
    case local(LocalBytes, any OpenBlob)
    /// They are elsewhere and are read into memory first.
    case remote(any StagedBlob)

    init(_ staged: any StagedBlob) async throws {
        let blob = try await staged.open()
        if let local = blob.local { self = .local(local, blob) } else { self = .remote(staged) }
    }

    /// Whether the bytes need no memory.
    var isLocal: Bool {
        if case .local = self { true } else { false }
    }

    /// The bytes of a range, ready for a thread that blocks.
    func range(_ range: Range<Int64>) async throws -> S3StagedRange {
        switch self {
        case .local(.file(let file), _):
            return S3StagedRange(size: Int64(range.count), from: .file(file, range.lowerBound))
        case .local(.memory(let bytes), _):
            let slice = bytes.getSlice(at: bytes.readerIndex + Int(range.lowerBound), length: range.count)
            guard let slice else { throw S3StagedSource.ended(range) }
            return S3StagedRange(size: Int64(range.count), from: .memory(slice))
        case .remote(let staged):
            var bytes = ByteBuffer()
            bytes.reserveCapacity(range.count)
            while bytes.readableBytes < range.count {
                let offset = range.lowerBound + Int64(bytes.readableBytes)
                let more = try await staged.read(at: offset, count: min(1 << 20, Int(range.upperBound - offset)))
                guard more.readableBytes > 0 else { throw S3StagedSource.ended(range) }
                bytes.writeImmutableBuffer(more)
            }
            return S3StagedRange(size: Int64(range.count), from: .memory(bytes))
        }
    }

    private static func ended(_ range: Range<Int64>) -> ServiceError {
        ServiceError(
            .internalFailure,
            "Internal error.",
            cause: UnreadableBlob("the staged bytes end before \(range.upperBound)")
        )
    }
}

/// A range of staged bytes that can be read without suspension.
struct S3StagedRange: Sendable {
    enum Source: Sendable {
        case file(LocalFile, Int64)
        case memory(ByteBuffer)
    }

    let size: Int64
    private let source: Source

    init(size: Int64, from source: Source) {
        self.size = size
        self.source = source
    }

    /// Fills a buffer from an offset in the range on; blocks.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(S3Error) -> Int {
        switch source {
        case .memory(let bytes):
            bytes.withUnsafeReadableBytes { all in
                let part = all.dropFirst(Int(offset)).prefix(buffer.count)
                buffer.copyBytes(from: part)
                return part.count
            }
        case .file(let file, let start):
            try S3StagedRange.read(file, into: buffer, at: start + offset)
        }
    }

    private static func read(
        _ file: LocalFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(S3Error) -> Int {
        while true {
            let (count, number) = file.withDescriptor { descriptor in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
                return (count, errno)
            }
            if count > 0 { return count }
            if count < 0, number == EINTR { continue }
            let reason = count == 0 ? "they end at \(offset)" : String(cString: strerror(number))
            throw S3Error(.local, "the staged bytes cannot be read: \(reason)")
        }
    }
}
