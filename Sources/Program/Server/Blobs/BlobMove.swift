internal import Domain
internal import NIOCore
internal import NIOPosix
internal import Storage

/// Moves the bytes of one app's files, of its trash and of its unfinished uploads from one storage to another.
///
/// No server uses either. The bytes stay in the first storage. What the second one has already is not moved again, so a
/// move that was cut off at any moment continues where it stopped.
struct BlobMove: Sendable {
    /// A storage of bytes.
    struct Place: Sendable {
        let storage: BlobStorage
        /// Tells what is there.
        let checked: any CheckedBlobs
        /// Whether bytes that are there are read before they count as moved; a bucket has compared them before they were
        /// an object.
        let comparesDigests: Bool
    }

    /// What a move has done.
    struct Outcome: Sendable, Equatable {
        /// The files and entries of the trash whose bytes are in the second storage.
        var files = 0
        /// Those of them that were copied by this run.
        var copied = 0
        /// The bytes of these.
        var bytes: Int64 = 0
        /// Unfinished uploads.
        var uploads = 0
        /// What could not be moved, because it is missing or damaged: a description for each.
        var damaged: [String] = []
    }

    let store: any ObjectStore
    let source: Place
    let target: Place
    let pool: NIOThreadPool

    /// The number of files that are moved at the same time.
    private static let parallel = 8
    private static let pageSize = 256
    private static let pieceSize = 1 << 20

    /// Moves everything, and then compares both storages.
    ///
    /// - Throws: ``ExitError`` if a server has to end its work first; errors of the storages.
    func run() async throws -> Outcome {
        var outcome = Outcome()
        let leftovers = try await source.storage.staging.leftovers()
        for case .committing(let note) in leftovers {
            throw ExitError.storage(
                "the upload of file \(note.file) was interrupted: start the server once, stop it, and migrate again"
            )
        }
        try await forEachPage(of: .file) { object in
            FileEntry(record: object).map { Item(file: $0, entry: nil) }
        } _: { items in
            try await move(items, &outcome)
        }
        try await forEachPage(of: .trash) { object in
            guard let entry = try? TrashEntry(stored: object), let file = FileEntry(record: entry.record) else {
                return nil
            }
            return Item(file: file, entry: entry.id)
        } _: { items in
            try await move(items, &outcome)
        }
        for case .staged(let upload) in leftovers where try await move(upload) { outcome.uploads += 1 }
        return outcome
    }

    /// A file, or an entry of the trash.
    private struct Item: Sendable {
        let file: FileEntry
        let entry: ObjectID?

        var description: String { entry.map { "_Trash/\($0)" } ?? "_File/\(file.id)" }

        /// The item as the bytes in the trash are compared: with the id of its entry.
        var trashed: FileEntry { FileEntry(id: entry ?? file.id, key: file.key, facts: file.facts) }
    }

    /// Calls the body with all objects of a class in the order of their ids.
    private func forEachPage(
        of name: ClassName,
        _ item: (StoredObject) -> Item?,
        _ body: ([Item]) async throws -> Void
    ) async throws {
        let path = FieldPath(field: "objectId")
        var last: ObjectID?
        while true {
            let after = last
            let page = try await store.read { reader in
                let condition = after.map {
                    Condition.field(path, .compares(.greater, .string($0.description)))
                }
                let page = Page(first: BlobMove.pageSize)
                return try reader.find(
                    ObjectQuery(name, where: condition ?? .always, order: [SortKey(path)], page: page)
                )
            }
            guard let end = page.last else { return }
            last = end.id
            try await body(page.compactMap(item))
        }
    }

    /// Moves items that are not there, several at a time.
    private func move(_ items: [Item], _ outcome: inout Outcome) async throws {
        let there = try await conditions(of: items, in: target, comparingDigests: target.comparesDigests)
        var rest: [Item] = []
        for (item, condition) in zip(items, there) {
            if condition == .whole { outcome.files += 1 } else { rest.append(item) }
        }
        try await withThrowingTaskGroup(of: (Item, String?).self) { group in
            for (index, item) in rest.enumerated() {
                if index >= BlobMove.parallel, let result = try await group.next() { note(result, &outcome) }
                group.addTask { (item, try await copy(item)) }
            }
            for try await result in group { note(result, &outcome) }
        }
        // What was copied must be there now.
        let copied = rest.filter { item in !outcome.damaged.contains { $0.hasPrefix(item.description) } }
        for (item, condition) in zip(copied, try await conditions(of: copied, in: target, comparingDigests: false))
        where condition != .whole {
            throw ExitError.storage("\(item.description) was copied and is not there: \(condition)")
        }
    }

    private func note(_ result: (item: Item, damage: String?), _ outcome: inout Outcome) {
        if let damage = result.damage {
            outcome.damaged.append("\(result.item.description) \(damage)")
        } else {
            outcome.files += 1
            outcome.copied += 1
            outcome.bytes += result.item.file.facts.size
        }
    }

    private func conditions(
        of items: [Item],
        in place: Place,
        comparingDigests: Bool
    ) async throws -> [BlobCondition] {
        guard let first = items.first else { return [] }
        return try await pool.runIfActive {
            first.entry == nil
                ? try place.checked.check(items.map(\.file), comparingDigests: comparingDigests)
                : try place.checked.check(trashed: items.map(\.trashed), comparingDigests: comparingDigests)
        }
    }

    /// Copies the bytes of an item; the copy is compared with the digest of the record before it counts.
    ///
    /// - Returns: What is wrong with the bytes in the first storage, if they cannot be moved.
    private func copy(_ item: Item) async throws -> String? {
        guard let entry = item.entry else { return try await copy(item.file, at: item.file.key) }
        // A key that no client chooses: the bytes pass through it.
        guard let key = FileKey("lcfile-move/\(entry)") else { return "has no key" }
        let blob = TrashedBlob(entry: entry, key: key, file: item.file.id)
        guard try await source.storage.blobs.restore(blob) else { return "has no bytes" }
        let damage = try await copy(item.file, at: key)
        try await require(source.storage.blobs.moveToTrash([blob]))
        if damage == nil { try await require(target.storage.blobs.moveToTrash([blob])) }
        return damage
    }

    private func copy(_ file: FileEntry, at key: FileKey) async throws -> String? {
        let opened: (any OpenBlob)?
        do {
            opened = try await source.storage.blobs.open(key)
        } catch let error as ServiceError where error.code == .storageDamaged {
            return "cannot be read"
        }
        guard let opened else { return "has no blob" }
        guard opened.size == file.facts.size else {
            return "has \(opened.size) bytes, not the \(file.facts.size) that were uploaded"
        }
        let bytes = MovedBytes(blob: opened)
        let blobs = target.storage.blobs
        do {
            do {
                try await blobs.put(bytes, file.facts, as: key, of: file.id)
            } catch let error as ServiceError where error.code == .duplicateValue {
                // No server uses the storage: an earlier move left it, of a file that has been deleted since.
                try await blobs.remove(key)
                try await blobs.put(bytes, file.facts, as: key, of: file.id)
            }
            return nil
        } catch let error as ServiceError where [.internalFailure, .storageDamaged].contains(error.code) {
            try await blobs.undo(bytes, as: BlobName(key), of: file.id)
            return "holds other bytes than were uploaded, or cannot be read (\(error.cause ?? error))"
        }
    }

    private func require(_ failures: [(any Error)?]) throws {
        for case let failure? in failures { throw failure }
    }

    /// Copies the bytes of an unfinished upload.
    ///
    /// - Returns: `false` if there are none.
    private func move(_ upload: ObjectID) async throws -> Bool {
        let staged = try await source.storage.staging.stage(as: upload)
        let size = try await staged.extent()
        guard size > 0 else { return false }
        // What an earlier move has left.
        try await target.storage.staging.stage(as: upload).discard()
        let copy = try await target.storage.staging.stage(as: upload)
        let writer = copy.write(at: 0, digesting: [])
        var offset: Int64 = 0
        while offset < size {
            let piece = try await staged.read(at: offset, count: Int(min(Int64(BlobMove.pieceSize), size - offset)))
            guard piece.readableBytes > 0 else { break }
            try await writer.append(piece)
            offset += Int64(piece.readableBytes)
        }
        _ = try await writer.finish()
        try await copy.synchronize()
        return true
    }
}
