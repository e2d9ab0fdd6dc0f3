internal import Domain
internal import NIOCore
internal import NIOPosix
internal import Storage

/// Moves the bytes of one app's files, of its trash and of its unfinished uploads from one storage to another.
///
/// The bytes stay in the first storage. No server uses the second one. What it has already is not moved again, so a move
/// that was cut off at any moment continues where it stopped. The blobs are taken in the order of their names, 256 parts
/// of them: so one list of names of each storage finds what lacks and what is left over, and the memory is that of a
/// few parts.
struct BlobMove: Sendable {
    /// A storage of bytes.
    struct Place: Sendable {
        let blobs: any BlobStore
        /// The bytes of unfinished uploads; `nil` if they are not moved.
        let staging: (any StagingArea)?
        /// Tells what is there; for one thread.
        let checked: @Sendable () -> any CheckedBlobs
        /// Whether bytes that are there are read before they count as moved; a bucket has compared them before they were
        /// an object.
        let comparesDigests: Bool
        /// The files for which that was done; `nil` without comparing.
        let journal: CopyJournal?
    }

    /// What a move does.
    enum Phase: Sendable {
        /// It copies what files have at the moment, beside servers that use the first storage, and can be repeated.
        case beside
        /// It moves everything, while no server runs, and removes from the second storage what has no record any more.
        case last
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
        /// Files that were deleted while they were copied.
        var vanished = 0
        /// What the second storage had of files that do not exist any more, and was removed.
        var removed = 0
        /// What could not be moved, because it is missing or damaged: a description for each.
        var damaged: [String] = []

        mutating func add(_ other: Outcome) {
            files += other.files
            copied += other.copied
            bytes += other.bytes
            vanished += other.vanished
            removed += other.removed
            damaged += other.damaged
        }
    }

    let records: any CheckedDatabase
    let source: Place
    let target: Place
    let phase: Phase
    let pool: NIOThreadPool
    /// Where the bytes of an upload are that its rows record.
    var recorded: @Sendable (ObjectID) async throws -> RangeSet<Int64> = { _ in RangeSet() }
    /// Hears of what was done so far, and of how many of the 256 parts.
    var progress: @Sendable (Outcome, Int) -> Void = { _, _ in }

    /// The number of parts that are moved at the same time, one file of each.
    private static let parallel = 8

    /// Moves everything that the phase moves.
    ///
    /// - Throws: ``ExitError`` if a server has to end its work first; errors of the storages.
    func run() async throws -> Outcome {
        var outcome = Outcome()
        let leftovers = try await source.staging?.leftovers() ?? []
        for case .committing(let note) in leftovers {
            throw ExitError.storage(
                "the upload of file \(note.file) was interrupted: start the server once, stop it, and migrate again"
            )
        }
        let totals = try await pool.runIfActive { [records] in try records.listFiles { _ in } }
        outcome.damaged = totals.unreadable.map { "_File/\($0.id) has no valid key, size or digest" }
        // A blob without a record can be that of a record that cannot be read.
        let removes = phase == .last && totals.unreadable.isEmpty
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var done = 0
            func take(_ part: Outcome?) {
                guard let part else { return }
                outcome.add(part)
                done += 1
                progress(outcome, done)
            }
            for byte in UInt8.min...UInt8.max {
                if byte >= BlobMove.parallel { take(try await group.next()) }
                group.addTask { try await BlobPart(self, byte).run(removing: removes) }
            }
            for try await part in group { take(part) }
        }
        outcome.add(try await TrashPart(self).run(removing: removes))
        for case .staged(let upload) in leftovers {
            do {
                if try await move(upload) { outcome.uploads += 1 }
            } catch let damage as Damage {
                outcome.damaged.append("the unfinished upload \(upload) \(damage.description)")
            }
        }
        return outcome
    }
}
