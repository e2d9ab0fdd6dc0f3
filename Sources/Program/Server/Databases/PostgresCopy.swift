internal import Domain
internal import PostgresStore
internal import SQLiteStore

/// The copy of a backup of an app whose objects are in PostgreSQL: a database file with all of them.
///
/// So backups have the same format for both databases, and a restore is a storage with files.
struct PostgresCopy: CopiedDatabase {
    private let copy: DatabaseCopy
    private let original: PostgresFiles

    /// Writes one snapshot of an app's schema, which must have an id, into a new file; servers can use the schema
    /// meanwhile.
    init(of address: PostgresAddress, id: String, at path: String) throws(OpenFailure) {
        do {
            copy = try DatabaseCopy(loading: PostgresDump(of: address, id: id), at: path)
            original = PostgresFiles(of: address)
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be copied (\(error))")
        }
    }

    var damage: String? { copy.damage }

    func forEachPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws {
        try copy.forEachPage(body)
    }

    func forEachDamagedRow(_ body: (DamagedRow) throws -> Void) throws {
        try copy.forEachDamagedRow(body)
    }

    func originalHas(_ file: FileEntry) -> Bool {
        original.has(file)
    }

    func forget(_ files: [FileEntry], _ broken: [UnreadableRecord]) throws(OpenFailure) {
        try copy.forget(files, broken)
    }

    func close() throws(OpenFailure) {
        original.close()
        try copy.close()
    }
}

extension PostgresDump {
    /// Begins a snapshot of the schema that a marker names.
    ///
    /// - Throws: ``OpenFailure``, also if the schema has another id than the marker.
    convenience init(of address: PostgresAddress, id: String, classes: Set<ClassName>? = nil) throws {
        try self.init(of: address, classes: classes)
        guard try self.id() == id else {
            throw OpenFailure(
                message: "names the schema \(address.schema), which was created anew, or is of another storage"
            )
        }
    }
}
