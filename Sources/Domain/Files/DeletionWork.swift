/// What the worker of the deletion queue does with a batch of rows.
struct DeletionWork {
    /// The rows whose bytes move from their key to the trash.
    private(set) var moves: [PendingDeletion] = []
    /// The rows whose bytes are removed from their key, from the trash, or from both.
    private(set) var removals: [PendingDeletion] = []
    /// The rows that no transaction of this server can have written.
    private(set) var wrong: [PendingDeletion] = []

    /// Decides about rows.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - owners: The files of those of their keys that a record has.
    ///   - entries: Those of their ids that are entries of the trash.
    ///   - isShared: Whether the blobs of other files stay (``BlobStore/isShared``): another server can have created a
    ///     file under the key since the row was read.
    init(
        _ rows: [PendingDeletion],
        owners: [FileKey: ObjectID],
        entries: Set<ObjectID>,
        isShared: Bool = false
    ) {
        for row in rows {
            let isEntry = row.isOfTrash && entries.contains(row.id)
            let isWrong: Bool
            if let key = row.key {
                let owner = owners[key]
                isWrong = owner.map { !isShared || row.file == nil || [row.file, row.replaced].contains($0) } ?? false
            } else {
                isWrong = !row.isOfTrash || isEntry
            }
            if isWrong {
                wrong.append(row)
            } else if isEntry {
                moves.append(row)
            } else {
                removals.append(row)
            }
        }
    }

    /// The rows with work.
    var rows: [PendingDeletion] { moves + removals }

    /// The keys that lose their bytes.
    var keys: [FileKey] { rows.compactMap(\.key) }

    /// Moves and removes the bytes.
    ///
    /// - Returns: The errors by the ids of the rows whose bytes are still there.
    /// - Throws: `CancellationError`.
    func perform(on blobs: any BlobStore) async throws -> [ObjectID: any Error] {
        var errors: [ObjectID: any Error] = [:]
        func note(_ results: [(any Error)?], of ids: [ObjectID]) {
            for case (let id, let error?) in zip(ids, results) { errors[id] = error }
        }
        let moved = moves.compactMap { row in row.blob.map { TrashedBlob(entry: row.id, blob: $0) } }
        if !moved.isEmpty { note(try await blobs.moveToTrash(moved), of: moved.map(\.entry)) }
        let keyed = removals.compactMap { row in row.blob.map { (row.id, $0) } }
        if !keyed.isEmpty { note(try await blobs.remove(keyed.map(\.1)), of: keyed.map(\.0)) }
        let trashed = removals.filter { $0.isOfTrash && errors[$0.id] == nil }.map(\.id)
        if !trashed.isEmpty { note(try await blobs.removeFromTrash(trashed), of: trashed) }
        return errors
    }
}
