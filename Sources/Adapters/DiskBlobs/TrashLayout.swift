internal import Domain

/// The paths of bytes in an app's trash: `trash/xy/<entry>`, where `xy` are the last two digits of the entry's id.
///
/// The first digits of an id are its time, which many entries share; the last ones are random.
struct TrashLayout: Sendable {
    private let app: String
    private let trash: String

    /// Creates a layout; creates no folders, because most storages have no trash.
    init(folder: String) {
        app = folder
        trash = "\(folder)/trash"
    }

    /// The folder of an entry's bytes.
    func folder(of entry: ObjectID) -> String {
        "\(trash)/\(entry.description.suffix(2))"
    }

    /// The folder of all entries whose ids end with a byte.
    func folder(endingWith byte: UInt8) -> String {
        "\(trash)/\([byte].hexadecimal)"
    }

    /// The path of an entry's bytes.
    func path(of entry: ObjectID) -> String {
        "\(folder(of: entry))/\(entry)"
    }

    /// Creates the folder of an entry's bytes; blocks.
    func makeFolder(of entry: ObjectID) throws {
        try DiskBlobs.makeFolder(trash)
        try DiskBlobs.makeFolder(folder(of: entry))
    }

    /// The folders to sync after an entry got its name, the innermost first: an earlier server can have been killed
    /// before it synced those that it had created.
    func foldersToSync(of entry: ObjectID) -> [String] {
        [folder(of: entry), trash, app]
    }
}
