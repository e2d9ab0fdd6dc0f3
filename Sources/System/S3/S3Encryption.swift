/// The encryption of new objects by the store itself, with keys of the store (`x-amz-server-side-encryption`).
package enum S3Encryption: Sendable, Hashable {
    /// With keys that the store manages: `AES256`.
    case managed
    /// With a key of a key service: `aws:kms`; `nil` for the bucket's key.
    case keyService(key: String?)

    /// The header fields of a request that creates an object.
    var headers: [(name: String, value: String)] {
        let name = "x-amz-server-side-encryption"
        switch self {
        case .managed: return [(name, "AES256")]
        case .keyService(let key):
            return [(name, "aws:kms")] + (key.map { [("\(name)-aws-kms-key-id", $0)] } ?? [])
        }
    }
}
