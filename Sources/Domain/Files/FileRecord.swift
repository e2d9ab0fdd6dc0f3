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
    /// The client's words, with `size`, `_checksum` and `owner`.
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
    /// 64 hexadecimal digits; the strong validator is made of it.
    package let sha256: String
    /// When the record was made; since files do not change, also `updatedAt`.
    package let createdAt: Timestamp

    /// Takes the part of a record that downloads need.
    package init(_ record: FileRecord) {
        key = record.key
        mediaType = record.mediaType
        size = record.facts.size
        sha256 = record.facts.sha256
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
    /// 32 lower-case hexadecimal digits.
    package let md5: String
    /// 64 lower-case hexadecimal digits.
    package let sha256: String

    /// Takes what was counted.
    package init(size: Int64, md5: String, sha256: String) {
        self.size = size
        self.md5 = md5
        self.sha256 = sha256
    }
}
