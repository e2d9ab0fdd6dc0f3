internal import Domain
internal import Synchronization

/// What failures of the store left while this server runs, and the readers of staged bytes.
final class UnsettledFolders: Sendable {
    /// A removal of unneeded bytes that failed, or waits for a reader.
    struct Removal {
        let note: StagingNames.Note?
        /// The names of the bytes; `nil` if the store did not list them.
        ///
        /// Others can come into the folder of an upload: the master key can announce one with the same id.
        var keys: [String]?
    }

    private struct State {
        var kept: Set<StagingNames.Note> = []
        var removals: [StagingNames.Folder: Removal] = [:]
        var readers: [StagingNames.Folder: Int] = [:]
    }

    private let state = Mutex(State())

    /// The maximum number of folders; a start of a server finds further ones.
    private static let maxRemovals = 10_000

    /// Notes that a commit is undecided.
    func keep(_ note: StagingNames.Note) {
        state.withLock { _ = $0.kept.insert(note) }
    }

    /// The note was decided, or its commit begins again.
    func release(_ note: CommitNote) {
        state.withLock { state in state.kept = state.kept.filter { $0.commit != note } }
    }

    /// The undecided commits.
    var notes: [CommitNote] { state.withLock { $0.kept.map(\.commit) } }

    /// The undecided commits for an upload or a file with an id; one for each folder, also if they have the same blob.
    func notes(of id: ObjectID) -> [CommitNote] {
        state.withLock { state in
            state.kept.filter { $0.commit.file == id || $0.folder == .upload(id) }.map(\.commit)
        }
    }

    /// The undecided commit of the bytes that an upload has staged under its name.
    func note(of upload: ObjectID) -> StagingNames.Note? {
        state.withLock { state in state.kept.first { $0.folder == .upload(upload) } }
    }

    /// Notes that the removal of a folder failed.
    func keepRemoval(_ folder: StagingNames.Folder, _ note: StagingNames.Note?) {
        state.withLock { state in
            guard state.removals.count < UnsettledFolders.maxRemovals else { return }
            state.removals[folder] = Removal(note: note)
        }
    }

    /// The folders that are to be removed.
    var removals: Set<StagingNames.Folder> { state.withLock { Set($0.removals.keys) } }

    /// Takes the folders that are to be removed and have no readers.
    func takeRemovals() -> [(StagingNames.Folder, StagingNames.Note?)] {
        state.withLock { state in
            let free = state.removals.filter { state.readers[$0.key] == nil }
            for folder in free.keys { state.removals[folder] = nil }
            return free.map { ($0.key, $0.value.note) }
        }
    }

    /// Counts a reader, whose bytes stay in the bucket until it ends.
    func beginReading(_ folder: StagingNames.Folder) {
        state.withLock { $0.readers[folder, default: 0] += 1 }
    }

    /// Whether a folder has readers.
    func isRead(_ folder: StagingNames.Folder) -> Bool { state.withLock { $0.readers[folder] != nil } }

    /// Ends a reader; returns what is to be removed now.
    func endReading(_ folder: StagingNames.Folder) -> Removal? {
        state.withLock { state in
            let count = (state.readers[folder] ?? 1) - 1
            state.readers[folder] = count > 0 ? count : nil
            return count > 0 ? nil : state.removals.removeValue(forKey: folder)
        }
    }

    /// Leaves the removal of a folder to the last of its readers; `false` if it has none.
    func postpone(_ removal: Removal, of folder: StagingNames.Folder) -> Bool {
        state.withLock { state in
            guard state.readers[folder] != nil else { return false }
            state.removals[folder] = removal
            return true
        }
    }
}
