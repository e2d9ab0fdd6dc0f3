internal import Crypto

/// A digest that identifies bytes.
enum ShortDigest {
    /// The first 16 bytes of the SHA-256 of bytes, as 32 lower-case hexadecimal digits.
    static func hexadecimal(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
