/// The storage folder of a restore, which does not exist or is empty at first.
///
/// Everything is copied to `restore.partial` in it, and moved to its place when all of it is on the disk; no server
/// starts while that folder exists. It is not beside the storage folder, because that is often a mount.
struct RestoreDestination {
    private let storage: String

    /// Names that an empty folder can contain; the last is that of every new ext4 file system.
    private static let ignored: Set<String> = [
        ".lock", StorageFolder.restoreDraft, TemporaryFolder.name, "lost+found",
    ]

    /// The storage folder at a path.
    init(_ storage: String) {
        self.storage = StorageContents.trimmed(storage)
    }

    /// Throws unless the folder is empty, or can be created.
    func refuseContents() throws {
        guard StorageContents.exists(storage) else {
            // Checked before the backup is read, which can take hours.
            guard StorageContents.exists(StorageContents.parent(of: storage)) else {
                throw ExitError.storage("the storage folder \(storage) cannot be created: its parent does not exist")
            }
            return
        }
        let names = Set(try StorageContents.names(in: storage))
        guard names.isSubset(of: RestoreDestination.ignored) else {
            let reason =
                names.contains(StorageFolder.restoreDraft)
                ? "contains a restore that was interrupted at its end; remove its contents first"
                : "is not empty; a backup is restored into a new folder or an empty one"
            throw ExitError.storage("the storage folder \(storage) \(reason)")
        }
    }

    /// Fills the folder with what the body writes to another one; on return everything is on the disk.
    ///
    /// - Parameter body: Gets the path of a new folder; syncs all that it writes, except the names in that folder.
    /// - Throws: ``ExitError``, and the errors of the body; nothing is left of its work then.
    func fill(_ body: (String) throws -> Void) throws {
        let folder = try StorageFolder(path: storage)
        try refuseContents()
        let draft = "\(storage)/\(StorageFolder.restoreDraft)"
        if StorageContents.exists(draft) { try StorageContents.removeFolder(draft) }
        try StorageContents.makeFolder(draft)
        try folder.synchronize()
        do {
            try body(draft)
            try StorageContents.synchronize(draft)
        } catch {
            try? StorageContents.removeFolder(draft)
            throw error
        }
        // A later failure leaves the draft's folder, so that no server uses an incomplete storage.
        for name in try StorageContents.names(in: draft) {
            try StorageContents.rename("\(draft)/\(name)", to: "\(storage)/\(name)")
        }
        try folder.synchronize()
        try StorageContents.removeFolder(draft)
        do {
            try folder.synchronize()
        } catch {
            // After an error no server uses the storage, and the next restore says what to do.
            guard (try? StorageContents.makeFolder(draft)) != nil else {
                throw ExitError.storage(
                    "the storage folder \(storage) is restored, but a power cut can bring back "
                        + "\(StorageFolder.restoreDraft) in it, with which no server starts; remove that folder then "
                        + "(\(error))"
                )
            }
            throw error
        }
    }
}
