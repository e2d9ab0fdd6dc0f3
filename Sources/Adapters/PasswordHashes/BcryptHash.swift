internal import CCrypt
internal import FoundationEssentials

/// A bcrypt hash, verified by the system's libcrypt.
struct BcryptHash {
    private let text: String

    /// Parses a stored hash; `nil` if it is not bcrypt.
    init?(_ text: String) {
        guard ["$2a$", "$2b$", "$2y$"].contains(text.prefix(4)) else { return nil }
        self.text = text
    }

    /// Whether the password matches the hash.
    func matches(_ password: String) -> Bool {
        // C would cut a password at its first zero byte.
        guard !password.utf8.contains(0) else { return false }
        var buffer = [CChar](repeating: 0, count: Int(ccrypt_output_size))
        guard ccrypt_hash(password, text, &buffer) == 1 else { return false }
        let hash = Data(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        return hash.isSame(as: Data(text.utf8))
    }
}
