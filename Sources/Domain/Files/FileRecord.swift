/// The facts of a stored file; immutable once made.
package struct FileRecord: Sendable, Hashable {
    /// The objectId.
    package let id: ObjectID
    /// The path part of the URL; unique in the app.
    package let key: FileKey
    /// As the client gave it; not unique.
    package let name: FileName
    /// What the file is served as.
    package let mediaType: MediaType
    /// What the first bytes look like, whatever was claimed; nothing if they look like nothing known.
    package let detectedType: MediaType?
    /// Size and digests, counted by the server.
    package let facts: BlobFacts
    /// The client's members, with `size`, `_checksum` and `owner`.
    package let metaData: [String: JSONValue]
    /// Who may read and delete the record; nothing means everyone, within class permissions.
    package let acl: AccessControlList?
    /// When the record was made; since files do not change, also `updatedAt`.
    package let createdAt: Timestamp

    /// Takes checked values.
    package init(
        id: ObjectID,
        key: FileKey,
        name: FileName,
        mediaType: MediaType,
        detectedType: MediaType?,
        facts: BlobFacts,
        metaData: [String: JSONValue],
        acl: AccessControlList?,
        createdAt: Timestamp
    ) {
        self.id = id
        self.key = key
        self.name = name
        self.mediaType = mediaType
        self.detectedType = detectedType
        self.facts = facts
        self.metaData = metaData
        self.acl = acl
        self.createdAt = createdAt
    }
}

/// What serving a file takes of its record.
package struct ServedFile: Sendable, Hashable {
    /// The path part of the URL; unique in the app.
    package let key: FileKey
    /// What it is served as.
    package let mediaType: MediaType
    /// In bytes.
    package let size: Int64
    /// The strong validator is made of it.
    package let digest: BlobDigest
    /// When the record was made; since files do not change, also `updatedAt`.
    package let createdAt: Timestamp

    /// Takes the part of a record that downloads need.
    package init(_ record: FileRecord) {
        key = record.key
        mediaType = record.mediaType
        size = record.facts.size
        digest = record.facts.digest
        createdAt = record.createdAt
    }
}

/// How much is kept in memory for downloads, for each app; both are settings.
package struct DownloadCache: Sendable {
    /// Records, about 300 bytes each.
    package var records: Int
    /// Open files.
    package var openBlobs: Int

    /// Takes both bounds; 0 keeps nothing.
    package init(records: Int = 20_000, openBlobs: Int = 256) {
        self.records = records
        self.openBlobs = openBlobs
    }
}

/// What is known of a blob's bytes once all of them were read.
package struct BlobFacts: Sendable, Hashable {
    /// In bytes.
    package let size: Int64
    /// What the bytes are compared by.
    package let digest: BlobDigest
    /// 32 lower-case hexadecimal digits; nothing for a large file of which nobody asked for it.
    package let md5: String?

    /// The largest files whose MD5 is always known: it takes longer than writing them.
    package static let md5Limit: Int64 = 64 << 20

    /// Takes what was counted.
    package init(size: Int64, digest: BlobDigest, md5: String?) {
        self.size = size
        self.digest = digest
        self.md5 = md5
    }
}

/// What a blob's bytes are compared by; equal bytes have equal digests of one kind.
package enum BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// ``ContentHash``.
    case contentHash(String)
    /// 64 lower-case hexadecimal digits, of files from before there were content hashes.
    case sha256(String)

    /// The digest that a record names; nothing if it names none.
    package init?(hash: String?, sha256: String?) {
        if let hash {
            self = .contentHash(hash)
        } else if let sha256 {
            self = .sha256(sha256)
        } else {
            return nil
        }
    }

    /// The digest as text, safe in a header.
    package var description: String {
        switch self {
        case .contentHash(let text), .sha256(let text): text
        }
    }
}
