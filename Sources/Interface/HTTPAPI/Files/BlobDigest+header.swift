internal import Domain
internal import FoundationEssentials
internal import HTTPTypes

extension BlobDigest {
    /// The value of `Repr-Digest` (RFC 9530 section 3), which only files with a SHA-256 have.
    ///
    /// Of other files the content hash and perhaps the MD5 are known. RFC 9530 section 5 deprecates MD5 and SHA-1, and
    /// the content hash has no registered name.
    var representationDigest: String? {
        guard case .sha256(let digits) = self, let bytes = [UInt8](hexadecimal: digits) else { return nil }
        return "sha-256=:\(Data(bytes).base64EncodedString()):"
    }
}

extension HTTPField.Name {
    static let reprDigest = known("Repr-Digest")
}
