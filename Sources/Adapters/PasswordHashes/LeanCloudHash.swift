internal import Crypto
internal import FoundationEssentials

/// LeanCloud's hash in the form `$leancloud$<salt>$<hash>`: SHA-512 of salt and password, then 512 iterations of
/// SHA-512 (protocol/data 6.6).
struct LeanCloudHash {
    private let salt: String
    private let hash: Data

    /// Parses a stored hash; `nil` if it has another form.
    init?(_ text: String) {
        let parts = text.split(separator: "$")
        guard parts.count == 3, parts[0] == "leancloud", let hash = Data(base64Encoded: String(parts[2])) else {
            return nil
        }
        salt = String(parts[1])
        self.hash = hash
    }

    /// Whether the password matches the hash; compares in constant time.
    func matches(_ password: String) -> Bool {
        var digest = SHA512.hash(data: Data((salt + password).utf8))
        for _ in 0..<512 { digest = SHA512.hash(data: Data(digest)) }
        return hash.isSame(as: Data(digest))
    }
}
