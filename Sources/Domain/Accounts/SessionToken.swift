internal import Crypto

/// The secret by which a client proves its session; only its digest is stored.
package struct SessionToken: Sendable, CustomStringConvertible {
    /// The token itself, for the client it belongs to.
    package let revealed: String

    /// A new token: 25 lower-case letters and digits (protocol/data 6.3), 129 random bits.
    package init() {
        revealed = RandomString.lowercase(25)
    }

    /// Takes what a client sent; `nil` if no token looks like that.
    package init?(_ text: String) {
        guard text.utf8.count == 25, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        revealed = text
    }

    /// What is stored and looked up: SHA-256 in hexadecimal digits.
    ///
    /// A token is random, so nothing slower is needed, and looking a digest up tells nothing of how much of a guess was
    /// right.
    package var digest: String {
        SHA256.hash(data: Array(revealed.utf8)).hexadecimal
    }

    /// Never the token, so that no log line can hold it.
    package var description: String { "<token>" }
}
