internal import Synchronization

/// The apps whose files are found by the same paths, because one server has them all.
///
/// Each app has its own database, so no unique index covers the keys of all apps. An upload whose key is known before its
/// file exists is therefore finished under a claim on the key. The claim is process-wide. It is held from before the other
/// apps' records are checked until the file's own record is committed: of two apps that finish files under one key at the
/// same time, one waits for the other and then finds its record. Claims need not survive a restart: one process serves a
/// storage folder, and records are durable. Keys that the server makes in the request that stores the file need no claim:
/// they have 190 random bits, and no client sees them earlier.
package final class KeyNeighbours: Sendable {
    private struct State {
        var apps: [AppID: FileRecords] = [:]
        /// The claimed keys, each with the tasks that wait for it, in order.
        var claims: [FileKey: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Knows no app yet.
    package init() {}

    func add(_ app: AppID, _ files: FileRecords) {
        state.withLock { $0.apps[app] = files }
    }

    /// Throws ``ServiceError/Code/duplicateValue`` if another app has a file under the key.
    func requireFree(_ key: FileKey, besides app: AppID) async throws {
        for (other, files) in state.withLock(\.apps) where other != app {
            if try await files.file(key: key) != nil { throw KeyNeighbours.taken(key) }
        }
    }

    /// Runs a body that makes the file of a key visible, while no other app does so with the same key.
    ///
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another app has a file under the key; what the body throws.
    func claiming<Result>(_ key: FileKey, for app: AppID, _ body: () async throws -> Result) async throws -> Result {
        guard state.withLock({ $0.apps.keys.contains { $0 != app } }) else { return try await body() }
        await claim(key)
        defer { release(key) }
        try await requireFree(key, besides: app)
        return try await body()
    }

    /// The refusal of a key that a file or an unfinished upload has.
    static func taken(_ key: FileKey) -> ServiceError {
        ServiceError(.duplicateValue, "The key '\(key)' is taken.")
    }

    private func claim(_ key: FileKey) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.claims[key] != nil else {
                    state.claims[key] = []
                    return true
                }
                state.claims[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func release(_ key: FileKey) {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard var waiting = state.claims[key], !waiting.isEmpty else {
                state.claims[key] = nil
                return nil
            }
            let next = waiting.removeFirst()
            state.claims[key] = waiting
            return next
        }
        // The claim is handed over and never free in between.
        next?.resume()
    }
}
