/// The metadata of a stored file; immutable.
package struct FileRecord: Sendable, Hashable {
    /// The objectId.
    package let id: ObjectID
    /// The path part of the URL; unique in the app.
    package let key: FileKey
    /// The name from the client; not unique.
    package let name: FileName
    /// The media type with which the file is served.
    package let mediaType: MediaType
    /// The media type detected from the first bytes, regardless of the declared one.
    ///
    /// `nil` if it is unknown; also for files that are no images, if their type was declared or known by the extension and
    /// the app allows every type.
    package let detectedType: MediaType?
    /// Size and digests, computed by the server.
    package let facts: BlobFacts
    /// The client's members, with `size`, `_checksum` and `owner`.
    package let metaData: [String: JSONValue]
    /// The callers that are allowed to read and delete the record; `nil` means everyone, within class permissions.
    package let acl: AccessControlList?
    /// The time of creation.
    package let createdAt: Timestamp
    /// The time of the last change of the record; the bytes do not change.
    package let updatedAt: Timestamp
    /// The part that the mirror has in the file; `nil` for a file that a client uploaded.
    package let mirrorState: MirrorState?
    /// The result of censorship; `nil` if the file was never to be checked.
    package let verdict: Verdict?
    /// Whether the blob is known to be damaged, so that its bytes are not served.
    package let isDamaged: Bool
    /// The file of the mirror whose bytes this one took over (docs/mirror.md).
    ///
    /// The shared store of the import has them under its id.
    package private(set) var replaced: ObjectID?

    /// Creates a record from checked values; without `updatedAt`, that of a record that was never changed.
    package init(
        id: ObjectID,
        key: FileKey,
        name: FileName,
        mediaType: MediaType,
        detectedType: MediaType?,
        facts: BlobFacts,
        metaData: [String: JSONValue],
        acl: AccessControlList?,
        createdAt: Timestamp,
        updatedAt: Timestamp? = nil,
        mirrorState: MirrorState? = nil,
        verdict: Verdict? = nil,
        isDamaged: Bool = false,
        replaced: ObjectID? = nil
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
        self.updatedAt = updatedAt ?? createdAt
        self.mirrorState = mirrorState
        self.verdict = verdict
        self.isDamaged = isDamaged
        self.replaced = replaced
    }

    /// The same record with the bytes that the mirror stored for another one.
    func takingOver(_ created: FileRecord) -> FileRecord {
        var record = self
        record.replaced = created.id
        return record
    }
}

/// The fields of a file record that downloads need.
package struct ServedFile: Sendable, Hashable {
    /// The objectId, which no later file with the key has.
    let id: ObjectID
    /// The path part of the URL; unique in the app.
    package let key: FileKey
    /// The media type with which the file is served.
    package let mediaType: MediaType
    /// Whether the file can be an image, also under another ``mediaType``, so that censorship can block it.
    package let canBeImage: Bool
    /// The size in bytes.
    package let size: Int64
    /// The digest from which the strong validator is derived.
    package let digest: BlobDigest
    /// The time of creation, since which the bytes have not changed.
    package let createdAt: Timestamp
    /// The result of censorship, which decides whether the bytes are served.
    package let verdict: Verdict?
    /// Whether the blob is known to be damaged, so that its bytes are not served.
    package let isDamaged: Bool
    /// Whether the file's ACL does not let everyone read its record.
    let hasPrivateACL: Bool
    private let replaced: ObjectID?
    /// The blob with its bytes.
    var blob: FileBlob { FileBlob(key: key, file: id, replaced: replaced) }

    /// Creates the value from a record.
    package init(_ record: FileRecord) {
        id = record.id
        key = record.key
        mediaType = record.mediaType
        canBeImage = CheckedFile.canBeImage(declared: record.mediaType, detected: record.detectedType)
        size = record.facts.size
        digest = record.facts.digest
        createdAt = record.createdAt
        verdict = record.verdict
        isDamaged = record.isDamaged
        hasPrivateACL = record.acl?.isPrivate ?? false
        replaced = record.replaced
    }
}

/// The sizes of the caches for downloads, per app; both are settings.
package struct DownloadCache: Sendable {
    /// The maximum number of cached records, about 300 bytes each.
    package var records: Int
    /// The maximum number of cached open files.
    package var openBlobs: Int

    /// Creates the sizes; 0 disables a cache.
    package init(records: Int = 20_000, openBlobs: Int = 256) {
        self.records = records
        self.openBlobs = openBlobs
    }
}

/// The size and digests of a blob, known after all bytes were read.
package struct BlobFacts: Sendable, Hashable {
    /// The size in bytes.
    package let size: Int64
    /// The digest by which bytes are compared.
    package let digest: BlobDigest
    /// The MD5 as 32 lower-case hexadecimal digits; `nil` for a large file unless it was requested.
    package let md5: String?

    /// The maximum size in bytes for which MD5 is always computed: it takes longer than writing the file.
    package static let md5Limit: Int64 = 64 << 20

    /// The sizes in bytes that a record can have; another one is damage.
    ///
    /// No file system has a file of a pebibyte, and the sum of some thousand sizes is less than 2^63.
    package static let sizes: ClosedRange<Int64> = 0...(1 << 50)

    /// Creates the facts from computed values.
    package init(size: Int64, digest: BlobDigest, md5: String?) {
        self.size = size
        self.digest = digest
        self.md5 = md5
    }
}

/// The digest by which a blob's bytes are compared; equal bytes have equal digests of one kind.
package enum BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// A ``ContentHash``.
    case contentHash(String)
    /// SHA-256 as 64 lower-case hexadecimal digits, for files that are older than content hashes.
    case sha256(String)

    /// Creates the digest of a record; `nil` if the record has none.
    package init?(hash: String?, sha256: String?) {
        if let hash {
            self = .contentHash(hash)
        } else if let sha256 {
            self = .sha256(sha256)
        } else {
            return nil
        }
    }

    /// The digest as a string that is safe in a header.
    package var description: String {
        switch self {
        case .contentHash(let text), .sha256(let text): text
        }
    }
}
