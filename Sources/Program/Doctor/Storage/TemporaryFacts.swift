internal import Glibc
internal import Storage

/// Where the server's temporary files are: what large sorts and transactions of SQLite have outside of memory.
struct TemporaryFacts: Sendable {
    /// The folder in the storage folder.
    let folder: String
    /// Whether it can be written, or the next start creates it.
    var isUsable = true
    /// Whether the server uses it: root does not if other users can put links into the storage folder.
    var isSafe = true
    /// The folder that SQLite uses without this one and `SQLITE_TMPDIR`; `nil` if none can be written.
    var systemFolder: String? = "/var/tmp"
    /// `SQLITE_TMPDIR`; `nil` if it is not set.
    var chosen: String?
    /// Whether that is a folder that can be written.
    var isChosenUsable = true

    init(folder: String) { self.folder = folder }

    /// Reads the facts for a server of a user.
    init(reading storage: String, as user: uid_t = geteuid()) {
        self.init(folder: "\(storage)/\(TemporaryFolder.name)")
        isSafe = TemporaryFolder.isSafe(storage, for: user)
        systemFolder = TemporaryFacts.systemFolder()
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
        guard isSafe else { return unsafeFinding }
        guard isUsable else {
            let text =
                "user \(geteuid()) cannot write to \(folder), which large queries need; remove it while no server runs"
            return Finding(subject, .problem, text)
        }
        guard let chosen else { return Finding(subject, .ok, "temporary files of SQLite are in \(folder)") }
        let text = "SQLITE_TMPDIR is \(chosen), which cannot be written: temporary files of SQLite are in \(folder)"
        return Finding(subject, .note, text)
    }

    /// The first of the folders that SQLite tries by itself, in its order; `nil` if none can be written.
    static func systemFolder(
        temporary: String? = getenv("TMPDIR").map { String(cString: $0) },
        _ folders: [String] = ["/var/tmp", "/usr/tmp", "/tmp"]
    ) -> String? {
        ([temporary].compactMap { $0 } + folders).first(where: TemporaryFolder.isWritable)
    }

    private var unsafeFinding: Finding {
        let reason = "root does not use \(folder), because other users can change the storage folder"
        let effect =
            systemFolder.map { "temporary files of SQLite are in \($0)" }
            ?? "neither TMPDIR nor a folder of the system can be written, so large queries fail"
        let advice = "run the server as the owner of the storage folder, or set SQLITE_TMPDIR"
        return Finding("storage.temporary", systemFolder == nil ? .problem : .note, "\(reason): \(effect); \(advice)")
    }
}
