internal import Domain

/// Compares the entries of an app's trash with their bytes, in both directions.
struct TrashComparison {
    private let check: AppCheck
    private let database: any CheckedDatabase

    /// The number of files whose bytes are compared at a time.
    private static let batchSize = 64

    init(_ check: AppCheck, _ database: any CheckedDatabase) {
        self.check = check
        self.database = database
    }

    /// Compares in both directions.
    ///
    /// - Parameters:
    ///   - hidesNames: Whether a damaged row can name bytes.
    ///   - summary: Counts the findings.
    /// - Throws: Errors of the database and of the storage.
    func run(hidingNames hidesNames: Bool, _ summary: inout CheckSummary) throws {
        var hidesNames = hidesNames
        check.observer.step("trash")
        try database.forEachTrashPage { files, broken in
            if !broken.isEmpty { hidesNames = true }
            for record in broken {
                let detail = "(row \(record.number)) has no valid key, size or digest of a file"
                check.report(.unreadableRecord, "_Trash/\(record.id)", detail, &summary)
            }
            try compare(files.filter { !isRead($0) }, reading: false, &summary)
            try compare(files.filter(isRead), reading: true, &summary)
        }
        for byte in UInt8.min...UInt8.max {
            try findUnnamed(endingWith: byte, hidingNames: hidesNames, &summary)
        }
    }

    private func isRead(_ file: FileEntry) -> Bool {
        check.options.readsData && check.options.subset.blobs.contains(BlobName(file.key))
    }

    private func compare(_ files: [FileEntry], reading isReading: Bool, _ summary: inout CheckSummary) throws {
        var rest = files[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(TrashComparison.batchSize))
            rest.removeFirst(batch.count)
            let conditions = try check.blobs.check(trashed: batch, comparingDigests: isReading)
            for (file, condition) in zip(batch, conditions) { try report(file, condition, &summary) }
            guard isReading else { continue }
            summary.readFiles += batch.count
            summary.readBytes += batch.reduce(0) { $0 + $1.facts.size }
        }
    }

    /// Reports bytes that are not whole, after a second look: the server can be moving or removing them.
    private func report(_ file: FileEntry, _ condition: BlobCondition, _ summary: inout CheckSummary) throws {
        guard condition != .whole, try !isAtKey(file) else { return }
        let again = try check.blobs.check(trashed: [file], comparingDigests: isRead(file)).first ?? condition
        // An entry goes before its bytes.
        guard again != .whole, try database.hasTrashEntry(file.id) else { return }
        switch again {
        case .whole: return
        case .missing: check.report(.missingBlob, "_Trash/\(file.id)", "has no bytes (key \(file.key))", &summary)
        case .damaged(let damage):
            check.report(.damagedBlob, "_Trash/\(file.id)", "has bytes whose file \(damage)", &summary)
        }
    }

    /// Whether the bytes of an entry still are the blob of its file's key; a row of the deletion queue tells that they
    /// are to be moved.
    private func isAtKey(_ file: FileEntry) throws -> Bool {
        guard try database.isMovingToTrash(file.id), !check.blobs.hasTrashed(file.id) else { return false }
        return check.blobs.has(BlobName(file.key))
    }

    /// Reports bytes of no entry: those of a removed one have a row of the deletion queue until they are gone.
    private func findUnnamed(
        endingWith byte: UInt8,
        hidingNames hidesNames: Bool,
        _ summary: inout CheckSummary
    ) throws {
        let names = try check.blobs.trashNames(endingWith: byte)
        for path in names.foreign.sorted() { check.report(.foreignFile, path, "is no file of lcfile", &summary) }
        guard !names.entries.isEmpty else { return }
        for entry in try database.withoutTrashEntry(names.entries) where check.blobs.hasTrashed(entry) {
            let path = "trash/\(entry.description.suffix(2))/\(entry)"
            let detail = "has the bytes of no entry of the trash"
            try check.reportOrphan(path, detail, hidingNames: hidesNames, &summary) {
                try check.blobs.moveToLostAndFound(trashed: entry)
            }
        }
    }
}
