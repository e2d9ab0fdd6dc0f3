internal import ArgumentParser

/// The server that a command checks without credentials; by default the one of this machine.
struct LocalServer: ParsableArguments {
    @Option(
        help: "The profile with the server. Default: LCFILE_PROFILE, otherwise the file's default profile.",
        completion: ProfileNames.completion
    )
    var profile: String?

    @Option(
        help: """
            The server's URL. Default: LCFILE_SERVER, the profile, http with LCFILE_HOST or 127.0.0.1 and with \
            LCFILE_PORT or port 8080; https with LCFILE_TLS_CERTIFICATE, whose name is not checked then.
            """
    )
    var server: String?

    /// A server and how it was found.
    struct Choice: Equatable {
        /// Its URL.
        let url: String
        /// Whether something names the server, so that its certificate must have this name.
        let isNamed: Bool
    }

    /// Finds the server: as other commands, but without `LCFILE_PUBLIC_URL`.
    ///
    /// In a server's own environment a check is for this server, and not for the proxy at its public address. So there
    /// the server's port also takes precedence over a profile that nothing names.
    ///
    /// - Parameters:
    ///   - environment: The process's environment; empty values count as missing.
    ///   - read: Reads the profile with a name, or the default profile for `nil`.
    /// - Returns: The server.
    /// - Throws: ``UsageError`` for a malformed URL or a profile that cannot be used.
    func choice(
        in environment: [String: String],
        reading read: (String?) throws -> Profile?
    ) throws -> Choice {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let url = server ?? value("LCFILE_SERVER") { return try named(url) }
        let (port, certificate) = (value("LCFILE_PORT"), value("LCFILE_TLS_CERTIFICATE"))
        let host = value("LCFILE_HOST")
        let name = profile ?? value("LCFILE_PROFILE")
        let isOwn = port != nil || certificate != nil || host != nil
        if name != nil || !isOwn, let url = try read(name)?.server { return try named(url) }
        let scheme = certificate == nil ? "http" : "https"
        return Choice(url: "\(scheme)://\(LocalServer.authority(of: host)):\(port ?? "8080")", isNamed: false)
    }

    /// The host of URLs for the address on which a server of this machine listens; `nil` for the usual one.
    static func authority(of host: String?) -> String {
        switch host {
        // All addresses of the machine.
        case nil, "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        case let host? where host.contains(":") && !host.hasPrefix("["): "[\(host)]"
        case let host?: host
        }
    }

    /// Finds the server; profiles are those of the user's file.
    func choice(in environment: [String: String]) throws -> Choice {
        try choice(in: environment) { try ProfileFile(in: environment).profile(named: $0) }
    }

    private func named(_ url: String) throws -> Choice {
        var options = Profile()
        options.server = url
        let settings = try ConnectionSettings(options: options, environment: [:], profile: nil)
        return Choice(url: settings.server, isNamed: true)
    }
}
