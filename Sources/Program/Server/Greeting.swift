internal import Domain

/// The information for the operator after the start.
package struct Greeting: Sendable {
    /// The URL that clients use.
    package let url: String
    /// The URL of the console; `nil` if it is off.
    package let consoleURL: String?
    /// The first app's id.
    package let appID: String
    /// The first app's app key.
    package let appKey: String
    /// The master key, only at the start that created the app: a key that each start prints would not stay secret.
    package let masterKey: String?
    /// The file with the generated keys; `nil` if the operator configured the apps.
    package let keyFile: String?
    /// What the operator must know about apps that are configured and not served.
    package let warnings: [String]

    init(configuration: ServerConfiguration, app: AppConfiguration, generated: GeneratedApp?, warnings: [String]) {
        self.warnings = warnings
        url = configuration.fileURLBase
        consoleURL = configuration.consoleURL
        appID = app.id.description
        appKey = app.keys.appKey.revealed
        masterKey = generated?.isNew == true ? app.keys.masterKey.revealed : nil
        keyFile = generated?.path
    }

    /// The startup message, with a command that uploads a photo and fetches its thumbnail.
    ///
    /// - Parameter sample: The photo in the command.
    /// - Returns: Lines for a terminal.
    package func message(sample: String) -> String {
        var lines = ["lcfile serves at \(url)"] + warnings.map { "  warning: \($0)" }
        if let consoleURL { lines.append("  console     \(consoleURL)") }
        if let keyFile {
            lines.append("  app id      \(appID)")
            lines.append("  app key     \(appKey)")
            lines.append("  master key  \(masterKey ?? "see \(keyFile)")")
            lines.append(masterKey == nil ? "" : "  (stored in \(keyFile))\n")
            lines.append("Upload a photo and download its thumbnail:\n")
            lines.append(
                """
                  curl -sS -H 'X-LC-Id: \(appID)' -H 'X-LC-Key: \(appKey)' -F 'file=@\(sample)' '\(url)/1.1/files' \
                | tee /dev/stderr | grep -o '"url":"[^"]*' | cut -c8- \
                | xargs -I{} curl -sS -o thumbnail.jpg '{}?imageView/2/w/200/h/200' && ls -l thumbnail.jpg
                """
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
