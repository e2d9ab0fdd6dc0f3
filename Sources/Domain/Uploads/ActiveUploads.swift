internal import Synchronization

/// The uploads in use, by the digest of their token; recently used ones stay in memory for the next request.
///
/// On a shared store none stays, and each request reads the rows again.
final class ActiveUploads: Sendable {
    private struct Entry {
        let number: Int
        let use: UploadUse
        /// The upload that all requests share; `nil` on a shared store.
        let task: Task<ActiveUpload?, any Error>?
        var users = 0
        var lastUse = 0
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uses = 0
    }

    private let isShared: Bool
    private let state = Mutex(State())

    /// The maximum number of unused uploads that stay cached, with one descriptor each.
    private static let idleCount = 128

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
            state.entries[digest] = entry
            return entry
        }
        let upload: ActiveUpload?
        do {
            if let task = entry.task {
                upload = try await task.value
            } else {
                upload = try await load().map { ActiveUpload($0, in: entry.use) }
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
        guard !isShared else { return Entry(number: number, use: use, task: nil) }
        return Entry(number: number, use: use, task: Task { try await load().map { ActiveUpload($0, in: use) } })
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
            guard state.entries.count > 2 * ActiveUploads.idleCount else { return }
            let idle = state.entries.filter { $0.value.users == 0 }
            for (digest, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).dropLast(
                ActiveUploads.idleCount
            ) {
                state.entries[digest] = nil
            }
        }
    }
}
