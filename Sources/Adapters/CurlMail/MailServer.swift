internal import Curl

/// The mail server to which mails are handed (`mail.server` and the settings beside it).
package struct MailServer: Sendable {
    /// An smtp or smtps URL without a path.
    package var url: String
    /// The user with which the server logs in; empty for no log-in.
    package var user = ""
    /// The user's password.
    package var password = ""
    /// Whether STARTTLS encrypts the connection of an smtp URL.
    package var encryption = Encryption.required
    /// The path of the certificates in PEM of the authorities that are trusted; `nil` for those of the system.
    package var caFile: String?
    /// Seconds for one mail, at most 600.
    package var timeout = 60

    /// Creates a server with the default settings.
    package init(url: String) {
        self.url = url
    }

    /// When STARTTLS is used.
    package enum Encryption: String, Sendable, CaseIterable {
        case required
        case optional
        case off

        var level: CurlHandle.MailEncryption {
            switch self {
            case .required: .required
            case .optional: .optional
            case .off: .off
            }
        }
    }
}
