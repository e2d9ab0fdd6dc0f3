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

    /// Makes the folders.
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
        path(ofBlobNamed: SHA256.hash(data: Array(key.description.utf8)).hexadecimal)
    }

    /// Where the bytes of an upload are staged that outlives the server.
    func path(staging name: ObjectID) -> String {
        "\(staging)/\(name)"
    }

    /// Where the bytes of a file stay staged while they become a blob.
    func path(committing file: ObjectID, as blob: String, isDraft: Bool) -> String {
        "\(staging)/\(file).\(blob.dropFirst(parent(blob).count + 1))\(isDraft ? BlobLayout.draft : "")"
    }

    /// Ends the name of bytes that are not staged again if their commit was cut off.
    static let draft = ".draft"

    /// The blob's path, from the last part of its path.
    func path(ofBlobNamed name: some StringProtocol) -> String {
        "\(blobs)/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
    }

    /// Makes the folder of a blob's path; it is durable after ``synchronize(_:)``.
    func makeFolders(of path: String) throws -> String {
        let leaf = parent(path)
        guard !durable.withLock({ $0.contains(leaf) }) else { return leaf }
        try makeFolder(parent(leaf))
        try makeFolder(leaf)
        return leaf
    }

    /// Returns when the names in a blob's folder are on the disk, and the folder itself.
    func synchronize(_ leaf: String) throws {
        try synchronizeFolder(leaf)
        guard !durable.withLock({ $0.contains(leaf) }) else { return }
        try synchronizeFolder(parent(leaf))
        try synchronizeFolder(blobs)
        durable.withLock { _ = $0.insert(leaf) }
    }

    /// The folder that a path lies in.
    func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }
}
