internal import Glibc
internal import Storage

/// Where the server's temporary files are: what large sorts and transactions of SQLite have outside of memory.
struct TemporaryFacts: Sendable {
    /// The folder in the storage folder.
    let folder: String
    /// Whether it can be written, or the next start creates it.
    var isUsable = true
    /// `SQLITE_TMPDIR`; `nil` if it is not set.
    var chosen: String?
    /// Whether that is a folder that can be written.
    var isChosenUsable = true

    init(folder: String) { self.folder = folder }

    /// Reads the facts.
    init(reading storage: String) {
        self.init(folder: "\(storage)/\(TemporaryFolder.name)")
        isUsable = TemporaryFolder.isWritable(folder) || access(folder, F_OK) != 0 && errno == ENOENT
        chosen = getenv("SQLITE_TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        isChosenUsable = chosen.map(TemporaryFolder.isWritable) ?? true
    }

    /// The finding about them.
    var finding: Finding {
        let subject = "storage.temporary"
        if let chosen, isChosenUsable {
            return Finding(subject, .ok, "temporary files of SQLite are in \(chosen) (SQLITE_TMPDIR)")
        }
        guard isUsable else {
            let text =
                "user \(geteuid()) cannot write to \(folder), which large queries need; remove it while no server runs"
            return Finding(subject, .problem, text)
        }
        guard let chosen else { return Finding(subject, .ok, "temporary files of SQLite are in \(folder)") }
        let text = "SQLITE_TMPDIR is \(chosen), which cannot be written: temporary files of SQLite are in \(folder)"
        return Finding(subject, .note, text)
    }
}
