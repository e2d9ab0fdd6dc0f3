package import NIOCore

/// The files that one request uploads, while their bytes arrive; used by one task at a time.
package struct IncomingFiles: Sendable {
    fileprivate(set) var uploads: [StagedUpload] = []
    private let service: UploadService
    private let caller: Caller

    fileprivate init(service: UploadService, caller: Caller) {
        self.service = service
        self.caller = caller
    }

    /// Begins the next file; the bytes of the one before are written and closed first, because a form can have many.
    ///
    /// - Parameter announced: How many bytes the client announced; nil if it did not.
    /// - Throws: ``ServiceError/Code/overloaded`` if the caller has begun too many, each file of a form counts;
    ///   ``ServiceError/Code/forbidden``, and ``ServiceError/Code/payloadTooLarge`` or
    ///   ``ServiceError/Code/quotaExceeded`` if the announced size is over a limit; all before a byte is read.
    package mutating func begin(announced: Int64? = nil) async throws {
        if !uploads.isEmpty {
            try service.requestLimits.takeUpload(by: caller)
            try await uploads[uploads.count - 1].end()
            try await uploads[uploads.count - 1].blob.writeOut()
        }
        uploads.append(try await service.begin(announced: announced, as: caller))
    }

    /// Adds bytes to the file that was begun last; there must be one.
    ///
    /// - Throws: ``ServiceError/Code/payloadTooLarge`` when they pass the limit, and the fault of the storage.
    package mutating func append(_ bytes: ByteBuffer) async throws {
        try await uploads[uploads.count - 1].append(bytes)
    }

    /// Gives the body a sink for the bytes of the file that was begun last; there must be one.
    mutating func fill<Result>(_ body: (PartSink) async throws -> Result) async throws -> Result {
        let last = uploads.count - 1
        let limit = service.limits.fileSize
        let refusal = StagedUpload.tooLarge(limit: limit)
        let sink = PartSink(uploads[last].writer, capacity: limit, refusal: refusal) { _ in }
        let result = try await body(sink)
        uploads[last].received = sink.received
        return result
    }
}

extension UploadService {
    /// Makes files of the bytes of one request: all of them or none.
    ///
    /// On return bytes, folders and rows survive a power cut. After an error nothing of any file is kept.
    ///
    /// - Parameters:
    ///   - caller: The caller who uploads.
    ///   - digests: The digests that the client announced; of one file only.
    ///   - body: Takes the bytes, and returns the description of each file in order.
    /// - Returns: The records, in order.
    /// - Throws: What the body throws, and the error of a rule.
    package func receive(
        as caller: Caller,
        checking digests: [DigestKind: [UInt8]] = [:],
        _ body: (inout IncomingFiles) async throws -> [UploadDescription]
    ) async throws -> [FileRecord] {
        try requestLimits.takeUpload(by: caller)
        var files = IncomingFiles(service: self, caller: caller)
        do {
            let descriptions = try await body(&files)
            // Without one of each, a file would be lost after a success.
            precondition(descriptions.count == files.uploads.count, "Each file has one description.")
            let uploads = Array(zip(files.uploads, descriptions))
            return try await commit(uploads, checking: digests, as: caller)
        } catch {
            await discard(files.uploads)
            throw error
        }
    }

    /// Makes one file of the bytes of one request; as ``receive(as:checking:_:)``.
    package func receive(
        _ description: UploadDescription,
        announced: Int64?,
        as caller: Caller,
        checking digests: [DigestKind: [UInt8]] = [:],
        _ body: (inout IncomingFiles) async throws -> Void
    ) async throws -> FileRecord {
        let records = try await receive(as: caller, checking: digests) { files in
            try await files.begin(announced: announced)
            try await body(&files)
            return [description]
        }
        return records[0]
    }
}
