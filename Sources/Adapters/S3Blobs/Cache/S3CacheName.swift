internal import Crypto
internal import Domain
internal import S3

/// The name of a cached object or piece: equal only for the same bytes of the same object.
struct S3CacheName: Sendable, Hashable, CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    let description: String

    /// - Parameters:
    ///   - stored: The blob; other bytes have another name.
    ///   - bucket: Its bucket.
    ///   - piece: The range of its bytes; `nil` for the whole object.
    init(_ stored: S3StoredBlob, in bucket: S3Bucket, piece: Range<Int64>? = nil) {
        let range = piece.map { "\($0.lowerBound)-\($0.upperBound)" } ?? ""
        let parts = [bucket.name, stored.object.key, stored.identity, range]
        let digest = SHA256.hash(data: Array(parts.joined(separator: "\n").utf8))
        description = Array(digest.prefix(16)).hexadecimal
    }

    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.allSatisfy("0123456789abcdef".contains) else { return nil }
        description = String(text)
    }
}
