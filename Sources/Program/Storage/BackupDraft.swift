internal import Glibc

/// The folder of an unfinished backup, `DIR.partial`; it becomes `DIR` when all of it is on the disk.
///
/// A file in it, `backup.txt`, states that lcfile created the folder, whether the backup is finished and how many damaged
/// files it lacks, and is locked while the backup runs. So a draft that a crash left can be distinguished from one that
/// is being written, and from a folder that lcfile did not create.
struct BackupDraft: ~Copyable {
    let path: String
    private let destination: String
    private let marker: CInt

    static let markerName = "backup.txt"
    private static let unfinished = "lcfile backup 1, not finished\n"
    private static let finished = "lcfile backup 1\n"
    /// What is before the number of files that an incomplete backup lacks, in a second line.
    private static let damagedField = "damaged: "

    /// Creates the draft of a backup to a folder that must not exist; removes a draft that a crash left.
    init(of destination: String) throws {
        try BackupDraft.refuseExisting(destination)
        let path = "\(destination).partial"
        if StorageContents.exists(path) { try BackupDraft.removeLeft(path) }
        try StorageContents.makeFolder(path)
        let marker = FileBytes.open("\(path)/\(BackupDraft.markerName)", O_RDWR | O_CREAT | O_EXCL)
        do {
            guard marker >= 0, flock(marker, LOCK_EX | LOCK_NB) == 0 else { throw BackupDraft.unwritable(path) }
            try BackupDraft.write(BackupDraft.unfinished, to: marker, path)
        } catch {
            if marker >= 0 { close(marker) }
            throw error
        }
        self.path = path
        self.destination = destination
        self.marker = marker
    }

    deinit {
        close(marker)
    }

    /// Gives the backup its name; all its files must be on the disk, except the names in the draft's own folder.
    ///
    /// - Parameter damaged: The number of files that the backup lacks because of damage in the storage.
    /// - Throws: ``ExitError``.
    func finish(lacking damaged: Int = 0) throws {
        // The marker of a complete backup can be read by earlier versions.
        let line = damaged > 0 ? "\(BackupDraft.damagedField)\(damaged)\n" : ""
        try BackupDraft.write(BackupDraft.finished + line, to: marker, path)
        try StorageContents.synchronize(path)
        try BackupDraft.refuseExisting(destination)
        try StorageContents.rename(path, to: destination)
        try StorageContents.synchronize(StorageContents.parent(of: destination))
    }

    /// Removes the draft, as far as possible.
    func discard() {
        try? StorageContents.removeFolder(path, last: BackupDraft.markerName)
    }

    /// Throws unless a folder is a finished backup.
    ///
    /// - Returns: The number of files that it lacks because of damage in the storage; 0 if an earlier version made it.
    static func checkFinished(_ folder: String) throws -> Int {
        _ = try StorageContents.names(in: folder)
        guard let marker = try FileBytes.contents(of: "\(folder)/\(markerName)") else {
            throw ExitError.storage("\(folder) is not a backup: it has no \(markerName)")
        }
        let text = String(decoding: marker, as: UTF8.self)
        switch text {
        case finished:
            return 0
        case unfinished:
            throw ExitError.storage("\(folder) is an interrupted backup; use another one")
        default:
            let start = finished + damagedField
            if text.hasPrefix(start), text.hasSuffix("\n"), let damaged = Int(text.dropFirst(start.count).dropLast()),
                damaged > 0
            {
                return damaged
            }
            throw ExitError.storage("\(folder) is not a backup that this version of lcfile can read (\(markerName))")
        }
    }

    private static func refuseExisting(_ destination: String) throws {
        guard !StorageContents.exists(destination) else {
            throw ExitError.storage("\(destination) exists already; a backup needs a new folder")
        }
    }

    private static func removeLeft(_ path: String) throws {
        let marker = FileBytes.open("\(path)/\(markerName)", O_RDWR | O_NOFOLLOW)
        guard marker >= 0 else {
            // A crash between the creation of the folder and of its marker leaves an empty one; every other folder is
            // not lcfile's.
            guard rmdir(path) == 0 else {
                throw ExitError.storage("\(path) exists and was not created by lcfile; move it to another folder")
            }
            return
        }
        defer { close(marker) }
        guard flock(marker, LOCK_EX | LOCK_NB) == 0 else {
            throw ExitError.storage("another backup is being written to \(path)")
        }
        try StorageContents.removeFolder(path, last: markerName)
    }

    /// The second text can be shorter than the first, so the rest of the first must be removed.
    private static func write(_ text: String, to marker: CInt, _ path: String) throws {
        guard lseek(marker, 0, SEEK_SET) == 0 else { throw unwritable(path) }
        try FileBytes.write(Array(text.utf8), to: marker, "\(path)/\(markerName)")
        guard uninterrupted({ ftruncate(marker, off_t(text.utf8.count)) }) == 0, fsync(marker) == 0 else {
            throw unwritable(path)
        }
    }

    private static func unwritable(_ path: String) -> ExitError {
        ExitError.storage("the folder \(path) cannot be written: \(StorageFolder.systemError())")
    }
}
