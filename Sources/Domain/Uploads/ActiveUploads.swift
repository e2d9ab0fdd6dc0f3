internal import Synchronization

/// The uploads in use, by the digest of their token; recently used ones stay in memory for the next request.
///
/// On a shared store none stays, and each request reads the rows again.
final class ActiveUploads: Sendable {
    private struct Entry {
        let number: Int
        let use: UploadUse
        let source: Source
        var users = 0
        var lastUse = 0
        /// Whether no request has used it since it was announced.
        var isNew = false
    }

    /// Where the requests of an entry get the upload.
    private enum Source {
        /// It is known: this server has stored it.
        case known(ActiveUpload)
        /// The first request loads it for all.
        case loading(Task<ActiveUpload?, any Error>)
        /// Each request loads its own: on a shared store.
        case rows
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uses = 0
        /// The number of new entries.
        var newCount = 0

        /// Drops new entries, and others without a request, if there are twice as many as stay.
        mutating func dropIdle() {
            if newCount > 2 * ActiveUploads.newCount {
                drop(keeping: ActiveUploads.newCount) { $0.isNew }
                newCount = ActiveUploads.newCount
            }
            if entries.count - newCount > 2 * ActiveUploads.idleCount {
                drop(keeping: ActiveUploads.idleCount) { !$0.isNew && $0.users == 0 }
            }
        }

        /// Drops the entries of a kind whose last use is longest ago.
        private mutating func drop(keeping count: Int, where isDropped: (Entry) -> Bool) {
            let kind = entries.filter { isDropped($0.value) }.sorted { $0.value.lastUse < $1.value.lastUse }
            for (digest, _) in kind.dropLast(count) { entries[digest] = nil }
        }
    }

    private let isShared: Bool
    private let state = Mutex(State())

    /// The number of uploads without a request that stay cached, with one descriptor each.
    private static let idleCount = 128
    /// The number of announced uploads that stay cached until their first request.
    ///
    /// They take 2 KB each and no descriptor; reading one again takes a fifth of the time of a small upload.
    static let newCount = 1024

    /// - Parameter isShared: Whether other servers can change the uploads.
    init(isShared: Bool) {
        self.isShared = isShared
    }

    /// Runs a body with the upload of a token, loaded once for concurrent requests; `nil` if it does not exist.
    ///
    /// On a shared store every call loads it.
    func using<Result>(
        _ digest: String,
        loading load: @escaping @Sendable () async throws -> UploadRecords.Found?,
        _ body: (ActiveUpload?) async throws -> Result
    ) async throws -> Result {
        let entry = state.withLock { state in
            state.uses += 1
            var entry = state.entries[digest] ?? newEntry(state.uses, load)
            entry.users += 1
            entry.lastUse = state.uses
            if entry.isNew { state.newCount -= 1 }
            entry.isNew = false
            state.entries[digest] = entry
            return entry
        }
        let upload: ActiveUpload?
        do {
            switch entry.source {
            case .known(let known): upload = known
            case .loading(let task): upload = try await task.value
            case .rows: upload = try await load().map { ActiveUpload($0, in: entry.use) }
            }
        } catch {
            release(digest, entry.number, forgetting: true)
            throw error
        }
        defer { release(digest, entry.number, forgetting: upload?.with(\.isEnded) ?? true) }
        return try await body(upload)
    }

    private func newEntry(
        _ number: Int,
        _ load: @escaping @Sendable () async throws -> UploadRecords.Found?
    ) -> Entry {
        let use = UploadUse()
        guard !isShared else { return Entry(number: number, use: use, source: .rows) }
        let task = Task { try await load().map { ActiveUpload($0, in: use) } }
        return Entry(number: number, use: use, source: .loading(task))
    }

    /// Keeps an announced upload in memory for the first request with its token, which usually follows at once; does
    /// nothing on a shared store.
    func keep(_ upload: StoredUpload) {
        guard !isShared else { return }
        state.withLock { state in
            guard state.entries[upload.tokenDigest] == nil else { return }
            state.uses += 1
            let use = UploadUse()
            let known = ActiveUpload(UploadRecords.Found(upload: upload, parts: []), in: use)
            state.entries[upload.tokenDigest] = Entry(
                number: state.uses,
                use: use,
                source: .known(known),
                lastUse: state.uses,
                isNew: true
            )
            state.newCount += 1
            state.dropIdle()
        }
    }

    /// The uploads in use and those that stay cached.
    var all: [UploadUse] { state.withLock { $0.entries.values.map(\.use) } }

    private func release(_ digest: String, _ number: Int, forgetting isEnded: Bool) {
        state.withLock { state in
            guard state.entries[digest]?.number == number else { return }
            state.entries[digest]?.users -= 1
            guard !isShared else {
                if state.entries[digest]?.users == 0 { state.entries[digest] = nil }
                return
            }
            if isEnded { state.entries[digest] = nil }
            state.dropIdle()
        }
    }
}
