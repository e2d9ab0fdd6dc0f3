internal import Crypto

/// The secret by which a client proves its session; only its digest is stored.
package struct SessionToken: Sendable, CustomStringConvertible {
    /// The token itself, for the client to which it belongs.
    package let revealed: String

    /// The number of characters: 129 bits.
    static let length = 25

    /// Creates a random token of lower-case letters and digits (protocol/data 6.3).
    package init() {
        revealed = RandomString.lowercase(SessionToken.length)
    }

    /// A token that was derived from a secret.
    init(derived text: String) {
        revealed = text
    }

    /// Parses a client's token; `nil` if it has another form.
    package init?(_ text: String) {
        guard text.utf8.count == SessionToken.length, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        revealed = text
    }

    /// The SHA-256 of the token in hexadecimal digits, which is stored and looked up.
    ///
    /// A token is random, so a slow hash is not needed, and the lookup by digest does not reveal how much of a guess
    /// was right.
    package var digest: String {
        SHA256.hash(data: Array(revealed.utf8)).hexadecimal
    }

    /// Never the token, so that no log line can contain it.
    package var description: String { "<token>" }
}
