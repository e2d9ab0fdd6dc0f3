internal import Crypto

/// The name of a blob in a store: the SHA-256 of its key, as 64 lower-case hexadecimal digits.
///
/// A key can contain slashes, any script and up to 1024 bytes; its digest is a safe name of fixed length.
package struct BlobName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The digits.
    package let description: String

    /// Creates the name of a key's blob.
    package init(_ key: FileKey) {
        description = SHA256.hash(data: Array(key.description.utf8)).hexadecimal
    }

    /// Parses a name; `nil` if the string is not valid.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 64, text.allSatisfy("0123456789abcdef".contains) else { return nil }
        description = String(text)
    }

    /// Compares the names as strings.
    package static func < (left: BlobName, right: BlobName) -> Bool {
        left.description < right.description
    }
}
