package import Domain

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

    /// The settings that do not fit together.
    var conflicts: [SettingConflict] {
        var conflicts: [SettingConflict] = []
        for (name, url) in [("censorship.webhook", webhookURL), ("censorship.purge", purgeURL)] {
            guard let url else { continue }
            if (try? RemoteURL(url)) == nil {
                conflicts.append(
                    SettingConflict(name, sentence: "\(name) is '\(url)', which is not an http or https URL")
                )
            }
            if secret.revealed.utf8.count < CensorshipConfiguration.shortestSecret {
                let sentence =
                    "\(name) needs censorship.webhookSecret, which signs the requests, of at least "
                    + "\(CensorshipConfiguration.shortestSecret) bytes"
                conflicts.append(SettingConflict(name, "censorship.webhookSecret", sentence: sentence))
            }
        }
        return conflicts
    }
}
