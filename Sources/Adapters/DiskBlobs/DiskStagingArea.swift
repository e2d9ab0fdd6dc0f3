package import Domain
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
package import NIOPosix

/// Staged bytes as files in one app's folder; their names are the journal of commits.
///
/// Small bytes of one request stay in memory until their commit (``StagedContent``).
///
/// Every blocking call runs on the given pool, whose size the server sets; the folder belongs to one server process.
package struct DiskStagingArea: StagingArea {
    /// The kernel's boot id; another one after each failed sync, after which bytes that no sync confirmed can be lost.
    package var bootID: String {
        let failures = syncFailures.all
        return failures == 0 ? boot : "\(boot)/\(failures)"
    }
    private let boot: String
    private let layout: BlobLayout
    private let pool: DiskThreads
    private let unsettledNames = UnsettledNames()
    private let syncFailures = SyncFailures()
    private let places: DraftPlaces

    /// The prefix of the names of bytes that are staged for one request; no upload's name has it.
    static let draft = "draft-"

    /// Opens the app's folder, which must exist, creates the folders in it, and removes the bytes of single requests of
    /// a previous server.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pool: Threads for reading and writing.
    ///   - health: Receives reports of storage faults, and decides whether bytes can be added.
    /// - Throws: An error if a folder cannot be created, synced or read.
    package init(folder: String, pool: NIOThreadPool, health: StorageHealth = StorageHealth()) throws {
        try self.init(folder: folder, pool: pool, health: health, places: .process)
    }

    /// The same with other places for drafts in memory, for tests.
    init(folder: String, pool: NIOThreadPool, health: StorageHealth = StorageHealth(), places: DraftPlaces) throws {
        self.places = places
        layout = try BlobLayout(folder: folder)
        self.pool = DiskThreads(pool: pool, health: health)
        let boot = try? String(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id"), encoding: .utf8)
        // Without a boot id every start counts as a boot.
        self.boot = boot?.filter { !$0.isWhitespace } ?? UUID().uuidString
        try layout.removeStaged(beginningWith: DiskStagingArea.draft)
    }

    package func stage() async throws -> any StagedBlob {
        let path = layout.newStagingPath(DiskStagingArea.draft)
        if let place = places.take() {
            return DiskStagedBlob(in: place, path: path, layout: layout, unsettled: unsettledNames, pool: pool)
        }
        return try await open { [layout, pool, unsettledNames, syncFailures] in
            try layout.require(layout.staging)
            return try DiskStagedBlob(
                path: path,
                stagedPath: nil,
                mustBe: .new,
                layout: layout,
                unsettled: unsettledNames,
                failures: syncFailures,
                pool: pool
            )
        }
    }

    package func stage(as name: ObjectID) async throws -> any StagedBlob {
        let path = layout.path(staging: name)
        return try await open { [layout, pool, unsettledNames, syncFailures] in
            try layout.require(layout.staging)
            // While a commit is undecided, the bytes have the name of its note.
            let note = unsettledNames.note(of: name)
            if note == nil { try unsettledNames.makeFree(path) }
            let staged = try DiskStagedBlob(
                path: note.map(layout.path(noting:)) ?? path,
                stagedPath: path,
                mustBe: note == nil ? .any : .old,
                noting: note,
                layout: layout,
                unsettled: unsettledNames,
                failures: syncFailures,
                pool: pool
            )
            if note != nil { staged.keepNote() }
            return staged
        }
    }

    /// The undecided commits; asks for no upload, because the names of failed removals get no other bytes
    /// (``UnsettledNames/makeFree(_:)``).
    package func unsettled(
        besides isUnfinished: @escaping @Sendable (ObjectID) async throws -> Bool
    ) async throws -> [CommitNote] {
        try await pool.runIfActive { [unsettledNames] in
            unsettledNames.retry()
            return unsettledNames.notes
        }
    }

    package func undecidedCommits(of upload: ObjectID) -> [CommitNote] {
        unsettledNames.notes.filter { $0.file == upload }
    }

    package func leftovers() async throws -> [StagingLeftover] {
        try await pool.runIfActive { [layout] in
            try layout.stagedNames().compactMap { name in
                if let id = ObjectID(name) { return .staged(id) }
                return CommitNote(fileName: name).map { .committing($0) }
            }
        }
    }

    package func reopen(_ note: CommitNote) async throws -> (any StagedBlob)? {
        let path = layout.path(noting: note)
        let stagedPath = note.isDraft ? nil : layout.path(staging: note.file)
        do {
            return try await open { [layout, pool, unsettledNames, syncFailures] in
                try DiskStagedBlob(
                    path: path,
                    stagedPath: stagedPath,
                    mustBe: .old,
                    noting: note,
                    layout: layout,
                    unsettled: unsettledNames,
                    failures: syncFailures,
                    pool: pool
                )
            }
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
            unsettledNames.release(note)
            return nil
        }
    }

    private func open(_ body: @escaping @Sendable () throws -> DiskStagedBlob) async throws -> DiskStagedBlob {
        try await pool.runIfActive(body)
    }
}

extension CommitNote {
    /// The suffix of the name of a note whose bytes are a draft.
    private static let draft = ".draft"

    /// Parses the name of the file with the bytes: `<file>.<blob>`; `nil` if the name is not a note.
    init?(fileName: String) {
        let parts = fileName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let file = ObjectID(String(parts[0])) else { return nil }
        let isDraft = parts[1].hasSuffix(CommitNote.draft)
        guard let blob = BlobName(isDraft ? parts[1].dropLast(CommitNote.draft.count) : parts[1]) else { return nil }
        self.init(file: file, blob: blob, isDraft: isDraft)
    }

    /// The name of the file with the bytes.
    var fileName: String {
        "\(file).\(blob)\(isDraft ? CommitNote.draft : "")"
    }
}
