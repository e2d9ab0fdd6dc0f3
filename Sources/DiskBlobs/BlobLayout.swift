internal import Crypto
internal import Domain
internal import Synchronization

/// Where an app's blobs lie: `blobs/ab/cd/<SHA-256 of the key>`, and `staging/` for what is not committed.
///
/// The digest makes every key a safe name of one length: keys hold slashes, any Unicode and up to 1024 bytes. Two
/// levels of 256 folders keep each folder small to tens of millions of blobs.
final class BlobLayout: Sendable {
    let blobs: String
    let staging: String
    /// Folders that are known to be on the disk, at most 65 792 of them.
    private let durable = Mutex<Set<String>>([])

    /// Makes the folders and removes what a dead server left in staging.
    init(folder: String) throws {
        blobs = "\(folder)/blobs"
        staging = "\(folder)/staging"
        try makeFolder(blobs)
        try makeFolder(staging)
        try synchronizeFolder(folder)
    }

    /// The places of blobs in a folder that is only read; makes and removes nothing.
    init(reading folder: String) {
        blobs = "\(folder)/blobs"
        staging = "\(folder)/staging"
    }

    func path(of key: FileKey) -> String {
        let name = SHA256.hash(data: Array(key.description.utf8)).hexadecimal
        return "\(blobs)/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
    }

    /// Makes the folder of a blob's path, durable on return.
    func prepareFolder(of path: String) throws -> String {
        let leaf = parent(path)
        guard !durable.withLock({ $0.contains(leaf) }) else { return leaf }
        let middle = parent(leaf)
        try makeFolder(middle)
        try synchronizeFolder(blobs)
        try makeFolder(leaf)
        try synchronizeFolder(middle)
        durable.withLock { _ = $0.insert(leaf) }
        return leaf
    }

    /// The folder that a path lies in.
    func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }
}
