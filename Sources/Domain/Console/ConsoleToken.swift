internal import Crypto

/// The secret of a session of the console, which the browser has in a cookie; only its digest is stored.
///
/// It is `<id of the session>.<secret>`, so that a look-up by the id does not depend on the secret.
package struct ConsoleToken: Sendable, CustomStringConvertible {
    let session: ObjectID
    private let secret: String

    /// The number of characters of the secret: 258 bits with ``RandomString/lowercase(_:)``.
    private static let length = 50

    /// Creates the token of a new session.
    init(of session: ObjectID) {
        self.session = session
        secret = RandomString.lowercase(ConsoleToken.length)
    }

    /// Parses the value of a cookie; `nil` if it has another form.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = ObjectID(String(parts[0])), parts[1].utf8.count == ConsoleToken.length,
            parts[1].utf8.allSatisfy(\.isASCIIAlphanumeric)
        else { return nil }
        session = id
        secret = String(parts[1])
    }

    /// The value of the cookie.
    package var revealed: String { "\(session).\(secret)" }

    /// What is stored of the token: its HMAC with the key of the log-in, so that a session ends with its key.
    func digest(with key: Secret) -> String {
        HMAC<SHA256>.authenticationCode(
            for: Array(revealed.utf8),
            using: SymmetricKey(data: Array(key.revealed.utf8))
        )
        .hexadecimal
    }

    /// What the site sends in a header field with each call, so that no other site can make a call.
    ///
    /// It is derived from the token, and the token does not follow from it.
    package var csrf: Secret {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("lcfile console CSRF".utf8),
            using: SymmetricKey(data: Array(revealed.utf8))
        )
        return Secret(code.hexadecimal)
    }

    /// Never the token, so that no log line can contain it.
    package var description: String { "<token>" }
}
