internal import ArgumentParser

/// The server that a command checks without credentials; by default the one of this machine.
struct LocalServer: ParsableArguments {
    @Option(
        help: """
            The server's URL. Default: http://127.0.0.1 with LCFILE_PORT or port 8080; https with \
            LCFILE_TLS_CERTIFICATE, whose name is not checked then.
            """
    )
    var server: String?

    /// Whether the command line names the server, so that its certificate must have this name.
    var isNamed: Bool { server != nil }

    /// The server's URL.
    func url(in environment: [String: String]) -> String {
        let scheme = environment["LCFILE_TLS_CERTIFICATE"].map { $0.isEmpty } ?? true ? "http" : "https"
        return server ?? "\(scheme)://127.0.0.1:\(environment["LCFILE_PORT"] ?? "8080")"
    }
}
