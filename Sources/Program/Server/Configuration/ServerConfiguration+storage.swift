internal import Domain
internal import PostgresStore

extension ServerConfiguration {
    /// The settings of the disk, the scrubber and the databases.
    mutating func readStorage(_ reader: inout SettingReader) {
        reader.number("disk.threads", 1...1024, into: &threads.disk)
        reader.size("disk.reserve", allowingZero: true, atMost: 1 << 40, into: &reserve)
        reader.size("disk.minFree", allowingZero: true, atMost: 1 << 50, into: &minFree)
        reader.value("disk.lostCommits", "refuse or accept", into: &acceptsLostCommits) { text in
            ["refuse": false, "accept": true][text]
        }

        reader.value("scrub.days", "0, or a number of days from 0.00001 to 3650", into: &scrub.days) { text in
            Double(text).flatMap { $0 == 0 || 0.00001...3650 ~= $0 ? $0 : nil }
        }
        reader.size("scrub.minRate", into: &scrub.minRate)

        reader.secret("database.url", into: &databaseURL)
        reader.number("database.readers", 1...256, into: &threads.databaseReaders)
        reader.size("database.cacheSize", atMost: 1 << 40, into: &threads.databaseCache)
        reader.size("database.rowCache", allowingZero: true, atMost: 1 << 40, into: &threads.rowCache)
    }

    /// Settings that do not fit to the kind of the database.
    var databaseConflicts: [SettingConflict] {
        let url = databaseURL.revealed
        guard !url.isEmpty else { return [] }
        guard PostgresAddress.isAddress(url) else {
            let sentence = "database.url must be the address of a database such as postgres://user@host:5432/name"
            return [SettingConflict("database.url", sentence: sentence)]
        }
        guard backup.target != nil else { return [] }
        let sentence =
            "backup.target copies changes of SQLite, and database.url is set: archive PostgreSQL's log instead "
            + "(docs/scale-out.md)"
        return [SettingConflict("backup.target", "database.url", sentence: sentence)]
    }
}
