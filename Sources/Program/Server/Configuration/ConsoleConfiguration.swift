internal import Console
package import Domain
internal import S3

/// The `console.*` settings.
package struct ConsoleConfiguration: Sendable {
    /// Who gets the console.
    package var access = ConsoleAccess.loopback
    /// The limits of sessions and of the audit log.
    package var settings = ConsoleSettings()

    mutating func read(_ reader: inout SettingReader) {
        let choices = ConsoleAccess.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("console.access", choices, into: &access) { ConsoleAccess(rawValue: $0) }
        reader.number("console.sessionLife", 60...2_592_000, into: &settings.sessionLife)
        reader.number("console.idleTime", 60...2_592_000, into: &settings.idleTime)
        reader.number("console.maxSessions", 1...1000, into: &settings.maxSessions)
        reader.number("console.maxFailures", 0...100_000, into: &settings.maxFailures)
        reader.number("console.auditLife", 1...3650, into: &settings.auditLife)
    }
}

extension ServerConfiguration {
    /// The console's surroundings.
    ///
    /// - Parameter apps: The apps that are served.
    /// - Returns: The options of the console.
    func consoleOptions(for apps: [AppConfiguration]) -> ConsoleOptions {
        ConsoleOptions(
            access: console.access,
            sessionLife: console.settings.sessionLife,
            isEncrypted: tls.files != nil,
            isPublishedEncrypted: fileURLBase.hasPrefix("https://"),
            fileOrigins: (apps.flatMap(\.fileDomains) + [fileURLBase]).map(ServerConfiguration.origin)
                + redirectOrigins(of: apps),
            maxFailures: console.settings.maxFailures
        )
    }

    /// The origin of the store to which downloads are redirected: a browser applies the site's policy to it, too.
    private func redirectOrigins(of apps: [AppConfiguration]) -> [String] {
        guard let location = blobs.store, apps.contains(where: { redirects(of: $0).files != .off }),
            // The start fails for the same reason, with its message.
            let signer = try? blobs.s3.signer(for: location, at: blobs.publicEndpoint)
        else { return [] }
        return [signer.origin]
    }

    /// The URL of the console for the operator; `nil` if no browser gets it under the server's URL.
    package var consoleURL: String? {
        switch console.access {
        case .off: nil
        case .on: "\(fileURLBase)/console/"
        case .loopback: isOnLoopback ? "\(localURL)/console/" : nil
        }
    }

    /// Whether browsers on this machine reach the listener under a loopback address.
    private var isOnLoopback: Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.") || host == "0.0.0.0"
            || host == "::" || host == "[::]"
    }

    /// The listener's URL for browsers on this machine.
    private var localURL: String {
        let name = host.contains("::1") ? "[::1]" : host.hasPrefix("127.") ? "127.0.0.1" : "localhost"
        return "\(tls.files == nil ? "http" : "https")://\(name):\(port)"
    }

    /// The scheme, host and port of an address.
    private static func origin(_ address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }
}
