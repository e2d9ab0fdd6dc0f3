/// What a client says of a file that it uploads; each part checked.
package struct UploadDescription: Sendable, Hashable {
    /// For people; never a path.
    package var name: FileName
    /// What the client claims the bytes to be; `nil` if it did not.
    package var mediaType: MediaType?
    /// The metadata that the client sent.
    package var metaData: [String: JSONValue]
    /// `nil` if the client gave none.
    package var acl: AccessControlList?
    /// Folders in front of the key.
    package var prefix: KeyPrefix?
    /// Where the bytes were copied from.
    var source: RemoteURL?
    /// Whether the key ends in the name: `<random>/<name>`.
    package var keepsName: Bool

    /// Takes checked values.
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

    /// How many bytes the client said there are; `nil` if it did not, or said no number.
    package var announcedSize: Int64? {
        guard let size = metaData["size"]?.integerValue, size >= 0 else { return nil }
        return size
    }

    /// Whether the client said what the MD5 of the bytes is.
    var announcesMD5: Bool {
        metaData["_checksum"].map { $0 != .null } ?? false
    }

    /// Throws ``ServiceError/Code/checksumMismatch`` if the client named a checksum and the bytes have another.
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
