internal import Domain
internal import Glibc
internal import Synchronization

/// The paths of bytes in an app's trash: `trash/xy/<entry>`, where `xy` are the last two digits of the entry's id.
///
/// The first digits of an id are its time, which many entries share; the last ones are random.
final class TrashLayout: Sendable {
    private let app: String
    private let trash: String
    /// Whether the folder of the trash was seen or created.
    private let isKnown: Atomic<Bool>

    /// Creates a layout; creates no folders, because most storages have no trash.
    init(folder: String) {
        let trash = "\(folder)/trash"
        app = folder
        self.trash = trash
        isKnown = Atomic(access(trash, F_OK) == 0)
    }

    /// The folder of an entry's bytes.
    func folder(of entry: ObjectID) -> String {
        "\(trash)/\(entry.description.suffix(2))"
    }

    /// The path of an entry's bytes.
    func path(of entry: ObjectID) -> String {
        "\(folder(of: entry))/\(entry)"
    }

    /// Creates the folder of an entry's bytes; blocks.
    ///
    /// - Throws: ``StorageDisplacement/refusal`` if the folder of the trash was removed: an empty one would hide that.
    func makeFolder(of entry: ObjectID) throws {
        if !isKnown.load(ordering: .relaxed) {
            try DiskBlobs.makeFolder(trash)
            isKnown.store(true, ordering: .relaxed)
        }
        do {
            try DiskBlobs.makeFolder(folder(of: entry))
        } catch {
            try require()
            throw error
        }
    }

    /// Notes that the folder of the trash is there, if it is; blocks.
    ///
    /// It can be put back after the start, and from then on its bytes are not lost while it is away again.
    func note() {
        if access(trash, F_OK) == 0 { isKnown.store(true, ordering: .relaxed) }
    }

    /// Requires that the folder of the trash was not removed since it was seen or created; blocks.
    ///
    /// - Throws: ``StorageDisplacement/refusal``.
    func require() throws {
        guard isKnown.load(ordering: .relaxed), access(trash, F_OK) != 0 else { return }
        let number = errno
        if number == ENOENT || number == ENOTDIR { throw StorageDisplacement.trash(trash).refusal }
    }

    /// The folders to sync after an entry got its name, the innermost first: an earlier server can have been killed
    /// before it synced those that it had created.
    func foldersToSync(of entry: ObjectID) -> [String] {
        [folder(of: entry), trash, app]
    }
}
