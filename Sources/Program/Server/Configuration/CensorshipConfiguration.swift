package import Domain
internal import Storage

/// The settings of censorship that an operator makes for the whole server; each app has its own beside them
/// (``CensorSettings``).
package struct CensorshipConfiguration: Sendable {
    /// The limits of checks.
    package var limits = CheckLimits()
    /// The path of the classifier's model.
    package var model = "models/open-nsfw.onnx"
    /// The path of the classifier's program; empty for `lcfile-classifier` beside the server's program.
    package var classifier = ""
    /// The webhook that decides about images; `nil` for none.
    package var webhookURL: String?
    /// The URL that is told of blocked files; `nil` for none.
    package var purgeURL: String?
    /// Signs requests to both, and callbacks.
    package var secret = Secret("")
    /// Seconds for one request to either.
    package var webhookTimeout = 30

    /// Creates the default settings.
    package init() {}

    /// The minimum length of the secret in bytes.
    private static let shortestSecret = 16

    /// Checks combinations of settings.
    ///
    /// - Throws: ``ExitError`` naming the settings that do not fit together.
    func validate() throws {
        for (name, url) in [("webhook", webhookURL), ("purge", purgeURL)] {
            guard let url else { continue }
            guard (try? RemoteURL(url)) != nil else {
                throw ExitError.configuration("censorship.\(name) is '\(url)', which is not an http or https URL")
            }
            guard secret.revealed.utf8.count >= CensorshipConfiguration.shortestSecret else {
                throw ExitError.configuration(
                    "censorship.\(name) needs censorship.webhookSecret, which signs the requests, of at least "
                        + "\(CensorshipConfiguration.shortestSecret) bytes"
                )
            }
        }
    }
}
