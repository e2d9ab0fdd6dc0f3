internal import Glibc

/// A folder for files between their download and the next step: their upload, or their place in an export.
struct TemporaryFolder: Sendable {
    private let folder: String

    init(_ folder: String) {
        self.folder = folder
    }

    init(beside journal: String) {
        self.init(journal + ".parts")
    }

    /// The path of the file of an item; the folder is created.
    ///
    /// The file's name is a digest: what identifies the item comes from an export or a server, which could choose a
    /// name with `..`.
    ///
    /// - Parameter item: Identifies the item in this process and in later ones, which continue its download.
    /// - Returns: The path.
    /// - Throws: ``MigrationError`` if the folder cannot be created.
    func path(for item: String) throws(MigrationError) -> String {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw MigrationError("the folder \(folder) cannot be created: \(String(cString: strerror(errno)))")
        }
        return "\(folder)/\(ShortDigest.hexadecimal(of: Array(item.utf8)))"
    }

    /// Removes the folder if it is empty.
    func remove() {
        rmdir(folder)
    }
}
