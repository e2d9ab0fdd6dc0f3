internal import PostgresStore

/// Judgements of a PostgreSQL database.
extension PostgresFacts {
    /// All findings.
    ///
    /// - Parameter needed: The connections that one server opens.
    /// - Returns: One for each subject.
    func findings(connectionsNeeded needed: Int) -> [Finding] {
        [server, rights, durability, checksums, connections(needed: needed), latency]
    }

    private var server: Finding {
        let subject = "database.server"
        let major = version / 10_000
        guard version >= 140_000 else {
            return Finding(subject, .problem, "the database is of PostgreSQL \(major); 14 or newer is needed")
        }
        guard encoding == "UTF8" else {
            return Finding(subject, .problem, "the database has the encoding \(encoding); create one with UTF8")
        }
        guard !isReplica else {
            return Finding(subject, .problem, "the database is a replica and takes no changes; use the primary server")
        }
        let encryption = isEncrypted ? "with TLS" : "without TLS: add sslmode=verify-full if the network is not yours"
        return Finding(subject, isEncrypted ? .ok : .note, "PostgreSQL \(major) answers, \(encryption)")
    }

    private var rights: Finding {
        let subject = "database.rights"
        guard canCreateSchemas else {
            let text = "the user cannot create schemas, which new apps need: GRANT CREATE ON DATABASE … TO …"
            return Finding(subject, .problem, text)
        }
        return Finding(subject, .ok, "the user can create schemas")
    }

    private var durability: Finding {
        let subject = "database.durability"
        let off = ["fsync", "full_page_writes"].filter { settings[$0] == "off" }
        guard off.isEmpty else {
            let text =
                "\(off.joined(separator: " and ")) of the database \(off.count == 1 ? "is" : "are") off: a power cut "
                + "loses acknowledged changes"
            return Finding(subject, .problem, text)
        }
        return Finding(subject, .ok, "acknowledged changes survive a power cut")
    }

    private var checksums: Finding {
        let subject = "database.checksums"
        guard settings["data_checksums"] == "on" else {
            let text =
                "the database has no checksums of its pages, so that damage goes unnoticed: stop it and run "
                + "pg_checksums --enable"
            return Finding(subject, .note, text)
        }
        return Finding(subject, .ok, "the database has checksums of its pages")
    }

    private func connections(needed: Int) -> Finding {
        let subject = "database.connections"
        guard needed <= connections else {
            let text =
                "a server opens up to \(needed) connections and the database has \(connections): raise max_connections "
                + "or lower database.readers"
            return Finding(subject, .problem, text)
        }
        return Finding(subject, .ok, "a server opens up to \(needed) of the database's \(connections) connections")
    }

    private var latency: Finding {
        let subject = "database.latency"
        let milliseconds = roundTrip / .milliseconds(1)
        let text = "an exchange with the database takes \(decimal(milliseconds)) ms"
        guard milliseconds < 5 else {
            return Finding(subject, .note, "\(text), and a new object needs four: put the server near the database")
        }
        return Finding(subject, .ok, text)
    }
}
