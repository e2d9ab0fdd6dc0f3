internal import Glibc

/// A folder beside the journal for files between their download and their upload.
struct TemporaryFolder: Sendable {
    private let folder: String

    init(beside journal: String) {
        folder = journal + ".parts"
    }

    /// The path of a file; the folder is created.
    func path(of name: String) throws(MigrationError) -> String {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw MigrationError("the folder \(folder) cannot be created: \(String(cString: strerror(errno)))")
        }
        return "\(folder)/\(name)"
    }

    /// Removes the folder if it is empty.
    func remove() {
        rmdir(folder)
    }
}
