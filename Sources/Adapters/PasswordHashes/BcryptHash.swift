internal import CCrypt
internal import FoundationEssentials

/// bcrypt, by the system's libcrypt.
struct BcryptHash {
    private let text: String

    /// Takes the text; `nil` if it is of another kind.
    init?(_ text: String) {
        guard ["$2a$", "$2b$", "$2y$"].contains(text.prefix(4)) else { return nil }
        self.text = text
    }

    /// Whether the password gives the hash.
    func matches(_ password: String) -> Bool {
        // C would take a password with a zero byte for the part before it.
        guard !password.utf8.contains(0) else { return false }
        var buffer = [CChar](repeating: 0, count: Int(ccrypt_output_size))
        guard ccrypt_hash(password, text, &buffer) == 1 else { return false }
        let hash = Data(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        return hash.isSame(as: Data(text.utf8))
    }
}
