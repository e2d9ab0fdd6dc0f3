internal import Domain
internal import NIOPosix
internal import Storage

/// The blobs of a move whose names begin with one byte.
struct BlobPart {
    private let move: BlobMove
    private let byte: UInt8

    /// The number of blobs that are compared at a time.
    private static let batchSize = 256

    init(_ move: BlobMove, _ byte: UInt8) {
        self.move = move
        self.byte = byte
    }

    /// Copies what the second storage lacks.
    ///
    /// - Parameter removes: Whether blobs that no record names are removed there.
    /// - Returns: What was done.
    /// - Throws: Errors of the storages and of the database.
    func run(removing removes: Bool) async throws -> BlobMove.Outcome {
        var outcome = BlobMove.Outcome()
        let (comparison, whole, others) = try await blocking { checked in try compare(checked) }
        outcome.files = whole.count
        var there = whole
        for file in others {
            do {
                let blob = try await move.opening { try await move.source.blobs.open(file.blob) }
                try await move.copy(blob, of: file, to: file.key)
                there.append(file.id)
                outcome.files += 1
                outcome.copied += 1
                outcome.bytes += file.facts.size
            } catch let damage as BlobMove.Damage {
                // A file that was deleted since it was listed has no bytes, or its key those of another one.
                if move.phase == .beside, try await !has(file) {
                    outcome.vanished += 1
                } else {
                    outcome.damaged.append("_File/\(file.id) \(damage.description)")
                }
            }
        }
        if removes {
            try await blocking { checked in for blob in comparison.unnamed { try checked.removeAll(of: blob) } }
            outcome.removed = comparison.unnamed.count
        }
        if outcome.copied + outcome.removed > 0 { try await confirm(there, removes) }
        if let journal = move.target.journal {
            try await blocking { [byte, there] _ in try journal.write(there, beginningWith: byte) }
        }
        return outcome
    }

    /// Lists both sides; puts that were cut off are removed.
    ///
    /// - Returns: Names and records side by side, the files whose bytes are there, and the others.
    private func compare(_ checked: any CheckedBlobs) throws -> (BlobComparison, [ObjectID], [FileEntry]) {
        let names = try checked.names(beginningWith: byte)
        for blob in names.claimed { try checked.removeAll(of: blob) }
        let cut = Set(names.claimed)
        let files = try move.records.files(beginningWith: byte)
        let comparison = BlobComparison(of: names.blobs.filter { !cut.contains($0) }, with: files)
        let read = try move.target.journal?.files(beginningWith: byte) ?? []
        var (whole, others) = ([ObjectID](), comparison.missing)
        let present = comparison.present.map(\.entry)
        for comparesDigests in [false, true] {
            let isCompared: (FileEntry) -> Bool = { move.target.comparesDigests && !read.contains($0.id) }
            var rest = present.filter { isCompared($0) == comparesDigests }[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(BlobPart.batchSize))
                rest.removeFirst(batch.count)
                for (file, condition) in zip(batch, try checked.check(batch, comparingDigests: comparesDigests)) {
                    if condition == .whole { whole.append(file.id) } else { others.append(file) }
                }
            }
        }
        return (comparison, whole, others)
    }

    /// Lists the second storage again: it must have what was copied, and nothing that was removed.
    private func confirm(_ there: [ObjectID], _ removes: Bool) async throws {
        let (unnamed, missing) = try await blocking { [byte, move] checked in
            let names = try checked.names(beginningWith: byte)
            let comparison = BlobComparison(of: names.blobs, with: try move.records.files(beginningWith: byte))
            let copied = Set(there)
            return (comparison.unnamed.count, comparison.missing.first { copied.contains($0.id) })
        }
        if let missing { throw ExitError.storage("_File/\(missing.id) was copied and is not there") }
        guard !removes || unnamed == 0 else {
            throw ExitError.storage("\(unnamed) blobs without a record were removed and are still there")
        }
    }

    private func has(_ file: FileEntry) async throws -> Bool {
        try await move.pool.runIfActive { [records = move.records] in try records.has(file) }
    }

    private func blocking<Result: Sendable>(
        _ body: @escaping @Sendable (any CheckedBlobs) throws -> Result
    ) async throws -> Result {
        try await move.pool.runIfActive { [target = move.target] in try body(target.checked()) }
    }
}
