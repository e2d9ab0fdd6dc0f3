internal import Domain
internal import Glibc
internal import Synchronization

/// The paths of an app's blobs: `blobs/ab/<SHA-256 of the key>`, and `staging/` for uncommitted bytes.
///
/// The digest makes every key a safe name of fixed length: keys contain slashes, any Unicode and up to 1024 bytes.
/// There are 256 folders, so nearly every commit finds its own and syncs nothing else. Earlier versions had a second
/// level (`blobs/ab/cd/<digest>`), whose folders nearly every commit in a new storage had to create and to sync with
/// those above; blobs stay there.
final class BlobLayout: Sendable {
    let blobs: String
    let staging: String
    /// Folders that are synced to the disk, at most 256.
    private let durable = Mutex<Set<String>>([])

    /// Creates the folders.
    convenience init(folder: String) throws {
        self.init(reading: folder)
        try makeFolder(blobs)
        try makeFolder(staging)
        try synchronizeFolder(folder)
    }

    /// Creates a layout for a folder that is only read; creates and removes no files.
    init(reading folder: String) {
        blobs = "\(folder)/blobs"
        staging = "\(folder)/staging"
    }

    /// The path of a new blob.
    func path(of blob: BlobName) -> String {
        let name = blob.description
        return "\(blobs)/\(name.prefix(2))/\(name)"
    }

    /// The path where an earlier version stored the blob.
    func earlierPath(of blob: BlobName) -> String {
        let name = blob.description
        return "\(blobs)/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
    }

    /// All paths where the blob can be, the likelier one first.
    func paths(of blob: BlobName) -> [String] {
        [path(of: blob), earlierPath(of: blob)]
    }

    /// Opens the file of a blob; blocks.
    ///
    /// - Parameters:
    ///   - blob: The blob.
    ///   - body: Opens a path; returns `nil` if nothing is there.
    /// - Returns: The result of the body for the first path that exists; `nil` if none does.
    /// - Throws: The errors of the body.
    func open<File: ~Copyable>(_ blob: BlobName, _ body: (String) throws -> File?) throws -> File? {
        if let file = try body(path(of: blob)) { return file }
        return try body(earlierPath(of: blob))
    }

    /// Requires that the folders were not removed since the start; blocks.
    ///
    /// They are not created anew: what was in them is missing, and an operator must know it.
    ///
    /// - Parameter folders: ``blobs`` or ``staging``.
    /// - Throws: ``StorageDisplacement/refusal``.
    func require(_ folders: String...) throws {
        for folder in folders where access(folder, F_OK) != 0 {
            let number = errno
            if number == ENOENT || number == ENOTDIR { throw StorageDisplacement.folder(folder).refusal }
        }
    }

    /// Creates the folder of a new blob's path; it is durable after ``synchronize(_:)``.
    func prepareFolder(of path: String) throws -> String {
        let folder = parent(path)
        if !durable.withLock({ $0.contains(folder) }) { try makeFolder(folder) }
        return folder
    }

    /// Syncs the names in a blob's folder, and the folder's own name, to the disk.
    func synchronize(_ folder: String) throws {
        try synchronizeFolder(folder)
        guard !durable.withLock({ $0.contains(folder) }) else { return }
        try synchronizeFolder(blobs)
        durable.withLock { _ = $0.insert(folder) }
    }

    /// Requires that no blob of an earlier version has the name; blocks.
    ///
    /// - Throws: ``ServiceError/Code/duplicateValue``; an error if that is unknown.
    func requireFree(_ blob: BlobName) throws {
        guard access(earlierPath(of: blob), F_OK) != 0 else { throw keyTaken }
        let number = errno
        guard number == ENOENT || number == ENOTDIR else { throw failure(of: "access", number) }
    }

    /// The path of the staged bytes of an upload that outlives the server.
    func path(staging name: ObjectID) -> String {
        "\(staging)/\(name)"
    }

    /// The path of staged bytes during a commit.
    func path(noting note: CommitNote) -> String {
        "\(staging)/\(note.fileName)"
    }

    /// An unused path in `staging`.
    func newStagingPath(_ beginning: String) -> String {
        "\(staging)/\(beginning)\(RandomString.lowercase(25))"
    }

    /// The names of all files in `staging`.
    func stagedNames() throws -> [String] {
        var names: [String] = []
        try forEachName(in: staging) { names.append($0) }
        return names
    }

    /// Removes files in `staging` that a previous server left.
    func removeStaged(beginningWith beginning: String) throws {
        for name in try stagedNames() where name.hasPrefix(beginning) { unlink("\(staging)/\(name)") }
    }

    /// The folder of a path.
    func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }
}
