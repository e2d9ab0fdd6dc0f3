internal import Domain
internal import S3

/// The digest of a blob in the metadata of its object, with which it is compared when it comes back.
enum S3BlobMetadata {
    private static let prefix = "x-amz-meta-"
    private static let contentHash = "content-hash"
    private static let sha256 = "sha256"

    /// The header fields of a new object.
    static func headers(_ facts: BlobFacts) -> [(name: String, value: String)] {
        switch facts.digest {
        case .contentHash(let text): [(prefix + contentHash, text)]
        case .sha256(let text): [(prefix + sha256, text)]
        }
    }

    /// The digest of an object; `nil` if this program has not stored it.
    static func digest(of object: S3Object) -> BlobDigest? {
        BlobDigest(hash: object.metadata[contentHash], sha256: object.metadata[sha256])
    }
}
