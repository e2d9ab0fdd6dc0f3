internal import NIOCore

/// One file's bytes on their way in, in one request; used by one task at a time.
struct StagedUpload: Sendable {
    let blob: any StagedBlob
    let writer: any BlobWriter
    private let limit: Int64
    var received: Int64 = 0
    private var isWritten = false

    init(blob: any StagedBlob, limit: Int64, digesting digests: Set<DigestKind> = []) {
        self.blob = blob
        writer = blob.write(at: 0, digesting: digests)
        self.limit = limit
    }

    /// Adds bytes; throws ``ServiceError/Code/payloadTooLarge`` when they pass the limit.
    mutating func append(_ bytes: ByteBuffer) async throws {
        received += Int64(bytes.readableBytes)
        guard received <= limit else { throw StagedUpload.tooLarge(limit: limit) }
        try await writer.append(bytes)
    }

    /// Writes all buffered bytes and returns the digests; can be called repeatedly.
    @discardableResult
    mutating func end() async throws -> [DigestKind: [UInt8]] {
        guard !isWritten else { return [:] }
        isWritten = true
        return try await writer.finish()
    }

    /// The facts of the bytes, after all were added.
    func finish(needsMD5: Bool) async throws -> StagedFacts {
        var upload = self
        try await upload.end()
        return try await blob.finish(size: received, needsMD5: needsMD5)
    }

    static func tooLarge(limit: Int64) -> ServiceError {
        ServiceError(.payloadTooLarge, "The file is larger than \(limit) bytes, the limit (uploads.maxSize).")
    }
}
