internal import Crypto

/// The secret by which a client proves its session; only its digest is stored.
package struct SessionToken: Sendable, CustomStringConvertible {
    /// The token itself, for the client to which it belongs.
    package let revealed: String

    /// Creates a token: 25 lower-case letters and digits (protocol/data 6.3), 129 random bits.
    package init() {
        revealed = RandomString.lowercase(25)
    }

    /// Parses a client's token; `nil` if it has another form.
    package init?(_ text: String) {
        guard text.utf8.count == 25, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
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
