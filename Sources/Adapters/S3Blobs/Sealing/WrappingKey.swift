internal import Crypto
internal import Domain

/// A key that seals other keys; the store never has it.
package struct WrappingKey: Sendable {
    let key: SymmetricKey
    /// What objects name it by: 16 hexadecimal digits, which tell nothing of the key.
    package let id: String

    /// The number of bytes of a key.
    package static let size = 32

    private static let idLabel = "lcfile wrapping key 1"

    /// Creates a key; `nil` unless the string is Base64 of 32 bytes.
    package init?(base64 text: some StringProtocol) {
        guard let bytes = [UInt8](base64: text) else { return nil }
        self.init(bytes)
    }

    /// Creates a key; `nil` unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == WrappingKey.size else { return nil }
        key = SymmetricKey(data: bytes)
        let digest = SHA256.hash(data: Array(WrappingKey.idLabel.utf8) + bytes)
        id = Array(digest.prefix(Envelope.idSize)).hexadecimal
    }
}

/// The encryption of an app's blobs and staged bytes in a bucket
/// (docs/decisions/0007-encryption-of-blobs-by-the-server.md).
package struct BlobEncryption: Sendable {
    /// The keys; the first one seals, all of them open.
    let keys: [WrappingKey]
    /// Whether blobs and segments without encryption are read, of a bucket that was used without it before.
    ///
    /// Otherwise the store could replace encrypted bytes by others.
    let readsUnencrypted: Bool
}

/// Why sealed bytes cannot be opened.
enum SealError: Error, Hashable, CustomStringConvertible {
    /// They were sealed with a key that is not there.
    case unknownKey(String)
    /// They are not what was sealed, or belong to something else.
    case forged

    var description: String {
        switch self {
        case .unknownKey(let id): "they are encrypted with another key (\(id))"
        case .forged: "they are not the bytes that were encrypted"
        }
    }
}
