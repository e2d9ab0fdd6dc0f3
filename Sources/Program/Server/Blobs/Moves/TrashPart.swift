internal import Domain
internal import NIOPosix
internal import Storage

/// The bytes of a move that are in the trash.
struct TrashPart {
    private let move: BlobMove

    /// The number of entries that are compared at a time.
    private static let batchSize = 64

    init(_ move: BlobMove) {
        self.move = move
    }

    /// Copies what the second storage lacks.
    ///
    /// - Parameter removes: Whether bytes of no entry are removed there.
    /// - Returns: What was done.
    /// - Throws: Errors of the storages and of the database.
    func run(removing removes: Bool) async throws -> BlobMove.Outcome {
        let (listed, broken) = try await move.pool.runIfActive { [records = move.records] in
            // The trash is small: entries expire.
            var (listed, broken) = ([FileEntry](), [UnreadableRecord]())
            try records.forEachTrashPage { files, unreadable in
                listed += files
                broken += unreadable
            }
            return (listed, broken)
        }
        var outcome = BlobMove.Outcome()
        outcome.damaged = broken.map { "_Trash/\($0.id) has no valid key, size or digest" }
        var rest = listed[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(TrashPart.batchSize))
            rest.removeFirst(batch.count)
            try await move(batch, &outcome)
        }
        if removes, broken.isEmpty { outcome.removed = try await removeOthers() }
        return outcome
    }

    private func move(_ entries: [FileEntry], _ outcome: inout BlobMove.Outcome) async throws {
        let compares = move.target.comparesDigests
        let (there, files) = try await move.pool.runIfActive { [move] in
            (
                try move.target.checked().check(trashed: entries, comparingDigests: compares),
                try move.records.files(ofEntries: entries.map(\.id))
            )
        }
        for (entry, condition) in zip(entries, there) {
            if condition == .whole {
                outcome.files += 1
                continue
            }
            do {
                guard let file = files[entry.id] else { throw BlobMove.Damage(description: "names no file") }
                try await copy(entry, of: file)
                outcome.files += 1
                outcome.copied += 1
                outcome.bytes += entry.facts.size
            } catch let damage as BlobMove.Damage {
                if move.phase == .beside, try await !isInTrash(entry) {
                    outcome.vanished += 1
                } else {
                    outcome.damaged.append("_Trash/\(entry.id) \(damage.description)")
                }
            }
        }
    }

    /// Copies the bytes of an entry: to a key that no client chooses, and from there to the trash of the second storage.
    private func copy(_ entry: FileEntry, of file: ObjectID) async throws {
        guard let key = FileKey("lcfile-move/\(entry.id)") else { return }
        let blob = try await move.opening { try await move.source.blobs.open(trashed: entry.id) }
        let record = FileEntry(id: file, key: key, facts: entry.facts)
        try await require(move.target.blobs.removeFromTrash([entry.id]))
        try await move.copy(blob, of: record, to: key)
        try await require(move.target.blobs.moveToTrash([TrashedBlob(entry: entry.id, key: key, file: file)]))
    }

    /// Whether an entry still exists, and its bytes are not those of a key any more.
    private func isInTrash(_ entry: FileEntry) async throws -> Bool {
        try await move.pool.runIfActive { [records = move.records] in
            try records.hasTrashEntry(entry.id) && !records.isMovingToTrash(entry.id)
        }
    }

    /// Removes the bytes of entries that do not exist any more.
    private func removeOthers() async throws -> Int {
        var count = 0
        for byte in UInt8.min...UInt8.max {
            let others = try await move.pool.runIfActive { [move] in
                let names = try move.target.checked().trashNames(endingWith: byte).entries
                return names.isEmpty ? [] : try move.records.withoutTrashEntry(names)
            }
            if !others.isEmpty { try await require(move.target.blobs.removeFromTrash(others)) }
            count += others.count
        }
        return count
    }

    private func require(_ failures: [(any Error)?]) throws {
        for case let failure? in failures { throw failure }
    }
}
