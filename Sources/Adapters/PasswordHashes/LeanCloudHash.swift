internal import Crypto
internal import FoundationEssentials

/// LeanCloud's hash, as `$leancloud$<salt>$<hash>`: SHA-512 over salt and password, and 512 times over itself
/// (protocol/data 6.6).
struct LeanCloudHash {
    private let salt: String
    private let hash: Data

    /// Reads the text; `nil` if it is of another kind.
    init?(_ text: String) {
        let parts = text.split(separator: "$")
        guard parts.count == 3, parts[0] == "leancloud", let hash = Data(base64Encoded: String(parts[2])) else {
            return nil
        }
        salt = String(parts[1])
        self.hash = hash
    }

    /// Whether the password gives the hash; takes the same time wherever they differ.
    func matches(_ password: String) -> Bool {
        var digest = SHA512.hash(data: Data((salt + password).utf8))
        for _ in 0..<512 { digest = SHA512.hash(data: Data(digest)) }
        return hash.isSame(as: Data(digest))
    }
}
