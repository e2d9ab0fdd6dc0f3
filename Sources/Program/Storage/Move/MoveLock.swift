internal import Domain
internal import Glibc

/// The lock of a command that moves objects or files of a storage folder; a server can hold the lock of the folder
/// itself meanwhile.
///
/// Two moves of one folder would undo each other's work. The lock is the kernel's and ends with the process.
package struct MoveLock: ~Copyable {
    /// A random id, the same for all moves of the folder: what an earlier one has left is known by it.
    package let id: String
    private let lock: CInt

    /// The name of the file that is locked, and has the id.
    static let name = ".migrate.lock"
    private static let idLength = 25

    /// Locks a folder, which must exist.
    ///
    /// - Parameter path: The storage folder.
    /// - Throws: ``ExitError``, also if another command moves the folder.
    package init(of path: String) throws {
        let file = "\(path)/\(MoveLock.name)"
        let lock = FileBytes.open(file, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard lock >= 0 else {
            throw ExitError.storage("\(file) cannot be opened: \(StorageFolder.systemError())")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw ExitError.storage("another 'lcfile migrate' runs on the storage folder \(path)")
        }
        do {
            id = try MoveLock.id(in: lock, file)
        } catch {
            close(lock)
            throw error
        }
        self.lock = lock
    }

    deinit {
        close(lock)
    }

    private static func id(in lock: CInt, _ file: String) throws -> String {
        let found = try FileBytes.contents(of: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isID = found.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        if isID, found.utf8.count == idLength { return found }
        let id = RandomString.lowercase(idLength)
        guard ftruncate(lock, 0) == 0 else {
            throw ExitError.storage("\(file) cannot be written: \(StorageFolder.systemError())")
        }
        try FileBytes.write(Array(id.utf8), to: lock, file)
        return id
    }
}
