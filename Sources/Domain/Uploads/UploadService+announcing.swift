/// A file that a client says it is about to upload.
package struct UploadAnnouncement: Sendable {
    /// What the client said of it.
    package var description: UploadDescription
    /// The key that the client wants; with `nil`, the server generates one.
    package var key: String?
    /// What it is for.
    package var kind: StoredUpload.Kind
    /// The announced number of bytes; `nil` if there is none.
    package var size: Int64?
    /// See ``StoredUpload/metadataHeader``.
    package var metadataHeader: String?
    /// Whether its last byte finishes it.
    package var finishesOnLastByte = false
    /// The partial uploads that a final one is made of, in order.
    var pieces: [ObjectID] = []

    /// Takes checked values.
    package init(
        _ description: UploadDescription,
        key: String? = nil,
        kind: StoredUpload.Kind = .file,
        size: Int64?
    ) {
        self.description = description
        self.key = key
        self.kind = kind
        self.size = size
    }
}

extension UploadService {
    /// Makes an upload that its token's holder may fill; on return it survives a power cut.
    ///
    /// - Parameters:
    ///   - announcement: What is to be uploaded.
    ///   - caller: The caller.
    /// - Returns: The upload and its token, which the server cannot return again.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/payloadTooLarge``,
    ///   ``ServiceError/Code/quotaExceeded``, ``ServiceError/Code/tooManyUploads``,
    ///   ``ServiceError/Code/duplicateValue``.
    package func announce(
        _ announcement: UploadAnnouncement,
        as caller: Caller
    ) async throws -> (upload: StoredUpload, token: UploadToken) {
        let caller = try await sessions.revalidated(caller)
        try limits.requireSize(announcement.size ?? 0)
        let description = announcement.description
        if let type = description.mediaType, type != .octetStream, !limits.types.allows(type) {
            throw UploadService.refusal(of: type)
        }
        let token = UploadToken()
        let now = clock()
        let upload = StoredUpload(
            id: ids.next(),
            tokenDigest: token.digest,
            key: try key(for: announcement, as: caller),
            description: description,
            creator: StoredUpload.Creator(caller),
            kind: announcement.kind,
            metadataHeader: announcement.metadataHeader,
            size: announcement.size,
            counted: announcement.size ?? 0,
            createdAt: now,
            expiresAt: now.adding(seconds: limits.startTimeout),
            finishesOnLastByte: announcement.finishesOnLastByte
        )
        try limits.record.requireSize(of: upload.object)
        try await requireFree(upload.key, chosenBy: announcement)
        let (begun, ended) = try await records.begin(upload, of: announcement.pieces, as: caller, within: limits)
        for digest in ended { await forget(digest) }
        return (begun, token)
    }

    /// The type that a file will be served as, as far as it can be told before its bytes are there.
    package func expectedType(of description: UploadDescription) -> MediaType {
        description.mediaType ?? description.name.pathExtension.flatMap(types.type(ofExtension:)) ?? .octetStream
    }

    /// Throws ``ServiceError/Code/duplicateValue`` if a key that was chosen is another app's: all are found by the same
    /// paths.
    ///
    /// This saves a client the upload. The check that decides is made again when the file is made.
    private func requireFree(_ key: FileKey, chosenBy announcement: UploadAnnouncement) async throws {
        guard key.description == announcement.key else { return }
        try await keyClaims.requireFree(key, besides: app)
    }

    private func key(for announcement: UploadAnnouncement, as caller: Caller) throws -> FileKey {
        let description = announcement.description
        if let text = announcement.key, !text.isEmpty {
            if caller.isMaster { return try FileKey(chosen: text) }
            if let key = FileKey(madeByClient: text, for: description.name) { return key }
        }
        return try .make(for: description.name, prefix: description.prefix, keepingName: description.keepsName)
    }
}

extension Timestamp {
    /// A later moment, or an earlier one.
    package func adding(seconds: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000)
    }
}
