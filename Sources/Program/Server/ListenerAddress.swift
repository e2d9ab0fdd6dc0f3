internal import Glibc
internal import Storage

/// The host and port of a listener, with the names of the settings that have them.
struct ListenerAddress {
    let host: String
    let port: Int
    /// The settings, and what else helps if the port is in use.
    let names: (host: String, port: String, alternative: String)

    /// The listener of the API.
    static func api(_ configuration: ServerConfiguration) -> ListenerAddress {
        ListenerAddress(host: configuration.host, port: configuration.port, names: ("host", "port", ""))
    }

    /// The listener of the metrics.
    static func metrics(_ settings: ServerConfiguration.MetricsSettings) -> ListenerAddress {
        let names = ("metrics.host", "metrics.port", ", or set metrics.enabled to false")
        return ListenerAddress(host: settings.host, port: settings.port, names: names)
    }

    /// The listener that sends clients to the encrypted one.
    static func redirect(_ configuration: ServerConfiguration) -> ListenerAddress {
        let names = ("host", "tls.redirectPort", ", or set tls.redirectPort to 0")
        return ListenerAddress(host: configuration.host, port: configuration.tls.redirectPort, names: names)
    }

    /// The error for a socket that cannot be bound, with the setting to change.
    ///
    /// - Parameter code: The system's error number.
    /// - Returns: An error with exit code 69.
    func error(_ code: CInt) -> ExitError {
        let reason =
            switch code {
            case EADDRINUSE:
                "another process listens on it; choose another \(setting(names.port))\(names.alternative)"
            case EADDRNOTAVAIL: "this machine does not have the address; change \(setting(names.host))"
            case EACCES where port < 1024:
                "permission denied; a \(names.port) below 1024 needs the capability CAP_NET_BIND_SERVICE"
            default: "\(String(cString: strerror(code))) (settings: \(names.host), \(names.port))"
            }
        return .address("cannot listen on \(host.contains(":") ? "[\(host)]" : host):\(port): \(reason)")
    }

    private func setting(_ name: String) -> String {
        "\(name) (\(ConfigurationLoader.environmentVariable(of: name)))"
    }
}
