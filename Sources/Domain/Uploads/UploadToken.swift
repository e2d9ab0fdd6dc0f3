internal import Crypto

/// The secret that allows its holder to upload one file: 40 letters and digits, 238 random bits.
///
/// Only its digest is stored.
package struct UploadToken: Sendable, CustomStringConvertible {
    /// The token itself, for the client to which it belongs.
    package let revealed: String

    /// Creates a random token.
    package init() {
        revealed = RandomString.alphanumeric(40)
    }

    /// Parses a token from a client: the 40 characters, alone or as the middle of a token in Qiniu's form.
    ///
    /// `nil` for every other form.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        let secret = parts[parts.count / 2]
        guard secret.utf8.count == 40, secret.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        revealed = String(secret)
    }

    /// The digest that is stored and looked up: SHA-256 in hexadecimal digits.
    package var digest: String {
        SHA256.hash(data: Array(revealed.utf8)).hexadecimal
    }

    /// The form that Qiniu's own SDKs parse: `<bucket>:<token>:<policy>`.
    package func qiniuForm(bucket: String, key: FileKey, deadline: Timestamp) -> String {
        let policy: JSONValue = [
            "scope": .string("\(bucket):\(key)"), "deadline": .integer(deadline.wholeSeconds),
        ]
        return "\(bucket):\(revealed):\(policy.encoded().base64URL)"
    }

    /// Whether both tokens are equal; the comparison takes constant time.
    package func matches(_ other: UploadToken) -> Bool {
        Secret(revealed).matches(other.revealed)
    }

    /// A placeholder instead of the token, so that no log line can contain it.
    package var description: String { "<token>" }
}
