internal import CPostgres
package import Domain

/// What matters to an operator about a PostgreSQL database, as `lcfile doctor` reports it.
package struct PostgresFacts: Sendable {
    /// The version as PostgreSQL numbers it, such as 150018.
    package let version: Int
    /// The encoding of the database's text, such as `UTF8`.
    package let encoding: String
    /// Whether the connection is encrypted.
    package let isEncrypted: Bool
    /// Whether the server is a replica, which takes no changes.
    package let isReplica: Bool
    /// Whether the user can create schemas.
    package let canCreateSchemas: Bool
    /// The settings that decide what survives a crash, by name, with their values.
    package let settings: [String: String]
    /// The most connections, without those that are reserved for superusers.
    package let connections: Int
    /// The median time of an exchange without work.
    package let roundTrip: Duration

    /// The version of libpq that is loaded, such as `15.10`.
    package static var libraryVersion: String {
        let version = PQlibVersion()
        return "\(version / 10_000).\(version % 10_000)"
    }

    /// The settings that are read.
    private static let names = ["fsync", "full_page_writes", "data_checksums"]

    /// Creates facts, as tests do.
    package init(
        version: Int = 150_000,
        encoding: String = "UTF8",
        isEncrypted: Bool = true,
        isReplica: Bool = false,
        canCreateSchemas: Bool = true,
        settings: [String: String] = ["fsync": "on", "full_page_writes": "on", "data_checksums": "on"],
        connections: Int = 97,
        roundTrip: Duration = .microseconds(200)
    ) {
        self.version = version
        self.encoding = encoding
        self.isEncrypted = isEncrypted
        self.isReplica = isReplica
        self.canCreateSchemas = canCreateSchemas
        self.settings = settings
        self.connections = connections
        self.roundTrip = roundTrip
    }

    /// Connects and reads the facts, and changes nothing; blocks, at most for twice the address's time-out.
    ///
    /// - Throws: ``OpenFailure`` if the database cannot be reached.
    package init(reading address: PostgresAddress) throws(OpenFailure) {
        do {
            let connection = try PostgresFacts.connect(to: address)
            let result = try connection.run(
                """
                SELECT current_setting('server_encoding'), pg_is_in_recovery(), \
                has_database_privilege(current_database(), 'CREATE'), \
                current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int, \
                coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)
                """
            )
            var settings: [String: String] = [:]
            for name in PostgresFacts.names {
                settings[name] = try connection.run("SELECT current_setting(\(name), true)").text(0, 0)
            }
            var times: [Duration] = []
            for _ in 0..<5 {
                let start = ContinuousClock.now
                try connection.run("SELECT 1")
                times.append(.now - start)
            }
            self.init(
                version: connection.serverVersion,
                encoding: result.text(0, 0) ?? "",
                isEncrypted: result.boolean(0, 4),
                isReplica: result.boolean(0, 1),
                canCreateSchemas: result.boolean(0, 2),
                settings: settings,
                connections: Int(result.integer(0, 3) ?? 0),
                roundTrip: times.sorted()[times.count / 2]
            )
        } catch {
            throw OpenFailure(message: "cannot be reached (\(error))")
        }
    }

    /// Connects to a replica only if there is no other server, so that the facts say that it is one.
    private static func connect(to address: PostgresAddress) throws -> PostgresConnection {
        do {
            return try PostgresConnection(address)
        } catch {
            guard let replica = try? PostgresConnection(address, acceptingReplicas: true) else { throw error }
            return replica
        }
    }
}
