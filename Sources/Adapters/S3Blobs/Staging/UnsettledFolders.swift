internal import Domain
internal import Synchronization

/// What failures of the store left while this server runs, and the readers of staged bytes.
final class UnsettledFolders: Sendable {
    private struct State {
        var kept: Set<StagingNames.Note> = []
        /// Folders of unneeded bytes whose removal failed or waits for a reader, with their notes.
        var removals: [StagingNames.Folder: StagingNames.Note?] = [:]
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

    /// The undecided commit of an upload.
    func note(of upload: ObjectID) -> StagingNames.Note? {
        state.withLock { state in state.kept.first { $0.folder == .upload(upload) } }
    }

    /// Notes that the removal of a folder failed.
    func keepRemoval(_ folder: StagingNames.Folder, _ note: StagingNames.Note?) {
        state.withLock { state in
            guard state.removals.count < UnsettledFolders.maxRemovals else { return }
            state.removals.updateValue(note, forKey: folder)
        }
    }

    /// The folders that are to be removed.
    var removals: Set<StagingNames.Folder> { state.withLock { Set($0.removals.keys) } }

    /// Takes the folders that are to be removed and have no readers.
    func takeRemovals() -> [(StagingNames.Folder, StagingNames.Note?)] {
        state.withLock { state in
            let free = state.removals.filter { state.readers[$0.key] == nil }
            for folder in free.keys { state.removals[folder] = nil }
            return Array(free.map { ($0.key, $0.value) })
        }
    }

    /// Counts a reader, whose bytes stay in the bucket until it ends.
    func beginReading(_ folder: StagingNames.Folder) {
        state.withLock { $0.readers[folder, default: 0] += 1 }
    }

    /// Ends a reader; returns whether the folder is to be removed now, with its note.
    func endReading(_ folder: StagingNames.Folder) -> (isRemoved: Bool, note: StagingNames.Note?) {
        state.withLock { state in
            let count = (state.readers[folder] ?? 1) - 1
            state.readers[folder] = count > 0 ? count : nil
            guard count <= 0, let note = state.removals.removeValue(forKey: folder) else { return (false, nil) }
            return (true, note)
        }
    }

    /// Leaves the removal of a folder to the last of its readers; `false` if it has none.
    func postponeRemoval(_ folder: StagingNames.Folder, _ note: StagingNames.Note?) -> Bool {
        state.withLock { state in
            guard state.readers[folder] != nil else { return false }
            state.removals.updateValue(note, forKey: folder)
            return true
        }
    }
}
