internal import Synchronization

/// The uploads in use, by the digest of their token; recently used ones stay in memory for the next request.
final class ActiveUploads: Sendable {
    private struct Entry {
        let number: Int
        let task: Task<ActiveUpload?, any Error>
        var users = 0
        var lastUse = 0
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uses = 0
    }

    private let state = Mutex(State())

    /// The maximum number of unused uploads that stay cached, with one descriptor each.
    private static let idleCount = 128

    /// Runs a body with the upload of a token, loaded once for concurrent requests; `nil` if it does not exist.
    func using<Result>(
        _ digest: String,
        loading load: @escaping @Sendable () async throws -> UploadRecords.Found?,
        _ body: (ActiveUpload?) async throws -> Result
    ) async throws -> Result {
        let entry = state.withLock { state in
            state.uses += 1
            var entry =
                state.entries[digest]
                ?? Entry(number: state.uses, task: Task { try await load().map(ActiveUpload.init) })
            entry.users += 1
            entry.lastUse = state.uses
            state.entries[digest] = entry
            return entry
        }
        let upload: ActiveUpload?
        do {
            upload = try await entry.task.value
        } catch {
            release(digest, entry.number, forgetting: true)
            throw error
        }
        defer { release(digest, entry.number, forgetting: upload?.with(\.isEnded) ?? true) }
        return try await body(upload)
    }

    /// All uploads in memory.
    func all() async -> [ActiveUpload] {
        var uploads: [ActiveUpload] = []
        for entry in state.withLock({ Array($0.entries.values) }) {
            if let upload = try? await entry.task.value { uploads.append(upload) }
        }
        return uploads
    }

    private func release(_ digest: String, _ number: Int, forgetting isEnded: Bool) {
        state.withLock { state in
            guard state.entries[digest]?.number == number else { return }
            state.entries[digest]?.users -= 1
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
