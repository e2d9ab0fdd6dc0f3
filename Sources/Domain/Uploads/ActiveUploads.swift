internal import Synchronization

/// The uploads in use, by the digest of their token; recently used ones stay in memory for the next request, with their
/// parts, but without large descriptions.
///
/// On a shared store none stays, and each request reads the rows again.
final class ActiveUploads: Sendable {
    private struct Entry {
        let number: Int
        let use: UploadUse
        var source: Source
        var users = 0
        var lastUse = 0
        /// Whether no request has used it since it was announced.
        var isNew = false
    }

    /// Where the requests of an entry get the upload.
    private enum Source {
        /// It is known: this server has stored it.
        case known(ActiveUpload)
        /// The next request loads it.
        case unloaded
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
        /// The digests of the entries without a request whose bytes can be open, the last used one last.
        var open: [String] = []
        /// The maximum number of those.
        let openCount: Int

        /// Notes that the last request of an entry has ended.
        ///
        /// - Returns: The upload whose bytes are to be closed for it: if possible one that needs no sync, because the
        ///   request waits.
        mutating func rest(_ digest: String) -> UploadUse? {
            guard let use = entries[digest]?.use, use.with({ $0.blob != nil }) else { return nil }
            open.append(digest)
            guard open.count > openCount else { return nil }
            let synced = open.firstIndex { entries[$0]?.use.with(\.blob)?.isSynced ?? true }
            return entries[open.remove(at: synced ?? 0)]?.use
        }

        /// Drops new entries, and others without a request, if there are twice as many as stay.
        ///
        /// Those whose bytes can be open stay: they are closed, with the sync that they can lack, before.
        mutating func dropIdle() {
            if newCount > 2 * ActiveUploads.newCount {
                drop(keeping: ActiveUploads.newCount) { $1.isNew }
                newCount = ActiveUploads.newCount
            }
            if entries.count - newCount > 2 * ActiveUploads.idleCount {
                let resting = Set(open)
                drop(keeping: ActiveUploads.idleCount) { !$1.isNew && $1.users == 0 && !resting.contains($0) }
            }
        }

        /// Drops the entries of a kind whose last use is longest ago.
        private mutating func drop(keeping count: Int, where isDropped: (String, Entry) -> Bool) {
            let kind = entries.filter { isDropped($0.key, $0.value) }.sorted { $0.value.lastUse < $1.value.lastUse }
            for (digest, _) in kind.dropLast(count) { entries[digest] = nil }
        }
    }

    private let isShared: Bool
    private let state: Mutex<State>

    /// The number of uploads without a request that stay cached.
    static let idleCount = 128
    /// The maximum size of a description that stays with them, in bytes: 256 of them take 80 MB.
    static let idleSize = 8 << 10
    /// The number of announced uploads that stay cached until their first request.
    ///
    /// They take 2 KB each and no descriptor; reading one again takes a fifth of the time of a small upload.
    static let newCount = 1024
    /// The maximum size of the description of those, in bytes: 2048 of them take 80 MB.
    static let newSize = 1 << 10

    /// - Parameters:
    ///   - isShared: Whether other servers can change the uploads.
    ///   - openCount: The number of uploads without a request whose bytes stay open, with one descriptor each: the other
    ///     ones are opened again by the next request. If more than these lack a sync, as between the chunks of a Kodo
    ///     block, requests wait for syncs of other uploads.
    init(isShared: Bool, openCount: Int) {
        self.isShared = isShared
        state = Mutex(State(openCount: openCount))
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
            var entry = state.entries[digest] ?? newEntry(state.uses)
            if case .unloaded = entry.source { entry.source = loading(load, in: entry.use) }
            entry.users += 1
            entry.lastUse = state.uses
            state.open.removeAll { $0 == digest }
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
            case .unloaded, .rows: upload = try await load().map { ActiveUpload($0, in: entry.use) }
            }
        } catch {
            await close(release(digest, entry.number, retaining: false))
            throw error
        }
        do {
            let result = try await body(upload)
            await release(digest, entry.number, of: upload)
            return result
        } catch {
            await release(digest, entry.number, of: upload)
            throw error
        }
    }

    private func newEntry(_ number: Int) -> Entry {
        Entry(number: number, use: UploadUse(), source: isShared ? .rows : .unloaded)
    }

    private func loading(
        _ load: @escaping @Sendable () async throws -> UploadRecords.Found?,
        in use: UploadUse
    ) -> Source {
        .loading(Task { try await load().map { ActiveUpload($0, in: use) } })
    }

    /// Keeps an announced upload in memory for the first request with its token, which usually follows at once; does
    /// nothing on a shared store, or with a large description.
    func keep(_ upload: StoredUpload) {
        guard !isShared, upload.hasDescription(upTo: ActiveUploads.newSize) else { return }
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

    /// Ends the use of an entry by one request.
    ///
    /// - Parameters:
    ///   - digest: The digest of the token.
    ///   - number: The number of the entry.
    ///   - isRetained: Whether the entry stays, on a store that is not shared; otherwise other requests lose it as well.
    /// - Returns: The upload whose bytes are to be closed.
    private func release(_ digest: String, _ number: Int, retaining isRetained: Bool) -> UploadUse? {
        state.withLock { state in
            guard var entry = state.entries[digest], entry.number == number else { return nil }
            entry.users -= 1
            let isLast = entry.users == 0
            guard !isShared else {
                state.entries[digest] = isLast ? nil : entry
                return nil
            }
            state.entries[digest] = isRetained ? entry : nil
            let closed = isLast ? state.rest(digest) : nil
            state.dropIdle()
            return closed
        }
    }

    /// Ends the use of an entry by one request, and closes the bytes that are not to stay open.
    private func release(_ digest: String, _ number: Int, of upload: ActiveUpload?) async {
        let isEnded = upload?.with(\.isEnded) ?? true
        await close(release(digest, number, retaining: !isEnded))
    }

    private func close(_ use: UploadUse?) async {
        guard let use, let blob = use.with(\.blob) else { return }
        let isClosed = await shieldedFromCancellation { (try? await blob.close()) != nil }
        // As after every sync that failed, the next request opens them again.
        if !isClosed { use.with { $0.blob = nil } }
    }
}
