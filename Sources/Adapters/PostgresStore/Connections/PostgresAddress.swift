internal import CPostgres

/// Where the objects of one app are: a PostgreSQL server, its database, and a schema in it.
package struct PostgresAddress: Sendable {
    /// The address in the form of libpq: `postgres://user:password@host:5432/database?sslmode=verify-full`.
    ///
    /// Everything that it does not name comes from libpq's defaults, such as the password file.
    package let url: String
    /// The schema that contains the app's tables; it is created if it does not exist.
    package let schema: String
    /// The name that the server shows for the connections.
    package let applicationName: String
    /// Seconds until a connection attempt fails, and until sent data counts as lost without an answer.
    package let timeout: Int
    /// Seconds for which the server can be silent during a read or a change, before its connection counts as lost: more
    /// than the longest statement takes.
    package let patience: Int

    /// Creates an address from its parts.
    package init(
        url: String,
        schema: String = "lcfile",
        applicationName: String = "lcfile",
        timeout: Int = 10,
        patience: Int = 60
    ) {
        self.url = url
        self.schema = schema
        self.applicationName = applicationName
        self.timeout = timeout
        self.patience = patience
    }

    /// Whether a text is an address that libpq can read.
    ///
    /// - Parameter url: The text. libpq's own message about one that it cannot read would have parts of the password.
    /// - Returns: Whether it is a URL with the scheme `postgres` or `postgresql`.
    package static func isAddress(_ url: String) -> Bool {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0) else {
            return false
        }
        guard let options = PQconninfoParse(url, nil) else { return false }
        PQconninfoFree(options)
        return true
    }

    /// The options of a connection, in libpq's names; later ones replace those of the address.
    ///
    /// - Parameter isForReplicas: Whether a replica is accepted, too. Otherwise libpq tries the next host of the address.
    /// - Returns: The options.
    func options(acceptingReplicas isForReplicas: Bool) -> [(name: String, value: String)] {
        let milliseconds = "\(timeout * 1000)"
        return [
            ("fallback_application_name", applicationName), ("dbname", url), ("client_encoding", "UTF8"),
            ("connect_timeout", "\(timeout)"), ("tcp_user_timeout", milliseconds), ("keepalives", "1"),
            ("keepalives_idle", "\(timeout)"), ("keepalives_interval", "\(max(1, timeout / 3))"),
            ("keepalives_count", "3"), ("target_session_attrs", isForReplicas ? "any" : "primary"),
        ]
    }
}

extension String {
    /// The string as a constant of SQL.
    var quotedText: String { doubling("'") }

    /// The string as a name in SQL.
    var quotedName: String { doubling("\"") }

    /// The string between two quotes, with each quote in it doubled.
    ///
    /// By Unicode scalars: a quote that a combining mark follows is another character for Swift, but a quote for SQL.
    private func doubling(_ quote: Unicode.Scalar) -> String {
        var result = UnicodeScalarView([quote])
        for scalar in unicodeScalars {
            if scalar == quote { result.append(quote) }
            result.append(scalar)
        }
        result.append(quote)
        return String(result)
    }
}
