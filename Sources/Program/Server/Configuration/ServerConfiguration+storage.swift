internal import Domain

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

        reader.number("database.readers", 1...256, into: &threads.databaseReaders)
        reader.size("database.cacheSize", atMost: 1 << 40, into: &threads.databaseCache)
    }
}
