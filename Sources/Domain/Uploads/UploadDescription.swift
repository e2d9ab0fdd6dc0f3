/// The client's description of a file that it uploads; each part checked.
package struct UploadDescription: Sendable, Hashable {
    /// The display name; never a path.
    package var name: FileName
    /// The media type that the client declared; `nil` if it declared none.
    package var mediaType: MediaType?
    /// The metadata that the client sent.
    package var metaData: [String: JSONValue]
    /// The ACL of the file; `nil` if the client sent none.
    package var acl: AccessControlList?
    /// The folders before the key.
    package var prefix: KeyPrefix?
    /// The URL from which the bytes were copied.
    var source: RemoteURL?
    /// The members for the ``SystemFields`` of the file, which count only with the master key; not yet checked.
    package var systemFields: [String: JSONValue] = [:]
    /// Whether the key ends in the name: `<random>/<name>`.
    package var keepsName: Bool

    /// Creates a description from checked values.
    package init(
        name: FileName,
        mediaType: MediaType? = nil,
        metaData: [String: JSONValue] = [:],
        acl: AccessControlList? = nil,
        prefix: KeyPrefix? = nil,
        keepsName: Bool = false
    ) {
        self.name = name
        self.mediaType = mediaType
        self.metaData = metaData
        self.acl = acl
        self.prefix = prefix
        self.keepsName = keepsName
    }

    /// The id and the time of creation of the file: given by the master key, else new.
    ///
    /// Other callers' members are ignored, because some SDKs send them (protocol/files 2.1).
    func systemFields(for caller: Caller, ids: ObjectIDGenerator, clock: () -> Timestamp) throws -> SystemFields {
        try SystemFields(caller.isMaster ? systemFields : [:], by: caller, ids: ids, clock: clock)
    }

    /// The number of bytes that the client announced; `nil` if it announced none, or not a number.
    package var announcedSize: Int64? {
        guard let size = metaData["size"]?.integerValue, size >= 0 else { return nil }
        return size
    }

    /// Whether the client announced the MD5 of the bytes.
    var announcesMD5: Bool {
        metaData["_checksum"].map { $0 != .null } ?? false
    }

    /// Throws ``ServiceError/Code/checksumMismatch`` if the client announced a checksum and the bytes have another.
    func verify(_ facts: BlobFacts) throws {
        guard announcesMD5, let announced = metaData["_checksum"] else { return }
        guard case .string(let text) = announced, text.lowercased() == facts.md5 else {
            throw ServiceError(
                .checksumMismatch,
                "metaData._checksum is not the MD5 of the received bytes, which is \(facts.md5 ?? "unknown")."
            )
        }
    }
}
