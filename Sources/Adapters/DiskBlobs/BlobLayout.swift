internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The paths of an app's blobs: `blobs/ab/cd/<SHA-256 of the key>`, and `staging/` for uncommitted bytes.
///
/// The digest makes every key a safe name of fixed length: keys contain slashes, any Unicode and up to 1024 bytes. Two
/// levels of 256 folders keep each folder small up to tens of millions of blobs.
final class BlobLayout: Sendable {
    let blobs: String
    let staging: String
    /// Folders that are synced to the disk, at most 65 792.
    private let durable = Mutex<Set<String>>([])

    /// Creates the folders.
    init(folder: String) throws {
        blobs = "\(folder)/blobs"
        staging = "\(folder)/staging"
        try makeFolder(blobs)
        try makeFolder(staging)
        try synchronizeFolder(folder)
    }

    /// Creates a layout for a folder that is only read; creates and removes no files.
    init(reading folder: String) {
        blobs = "\(folder)/blobs"
        staging = "\(folder)/staging"
    }

    func path(of key: FileKey) -> String {
        path(of: BlobName(key))
    }

    func path(of blob: BlobName) -> String {
        let name = blob.description
        return "\(blobs)/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
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
        do {
            return try FileManager.default.contentsOfDirectory(atPath: staging)
        } catch {
            throw failure(of: "opendir", EIO)
        }
    }

    /// Removes files in `staging` that a previous server left.
    func removeStaged(beginningWith beginning: String) throws {
        for name in try stagedNames() where name.hasPrefix(beginning) { unlink("\(staging)/\(name)") }
    }

    /// Creates the folder of a blob's path; it is durable after ``synchronize(_:)``.
    func makeFolders(of path: String) throws -> String {
        let leaf = parent(path)
        guard !durable.withLock({ $0.contains(leaf) }) else { return leaf }
        try makeFolder(parent(leaf))
        try makeFolder(leaf)
        return leaf
    }

    /// Syncs the names in a blob's folder, and the folder's own name, to the disk.
    func synchronize(_ leaf: String) throws {
        try synchronizeFolder(leaf)
        guard !durable.withLock({ $0.contains(leaf) }) else { return }
        try synchronizeFolder(parent(leaf))
        try synchronizeFolder(blobs)
        durable.withLock { _ = $0.insert(leaf) }
    }

    /// The folder of a path.
    func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }
}
