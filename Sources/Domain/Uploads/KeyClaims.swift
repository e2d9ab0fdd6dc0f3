internal import Synchronization

/// Claims on keys across the apps of one server, whose files share the same URL paths.
///
/// Each app has its own database, so no unique index covers the keys of all apps. An upload whose key is known before
/// its file exists is therefore finished under a claim on the key. The claim is process-wide, and with a shared store
/// also a lock among all servers, if there are several apps. It is held from before
/// the other apps' records are checked until the file's own record is committed: of two apps that finish files under
/// one key at the same time, one waits for the other and then finds its record. Claims need not survive a restart: one
/// process serves a storage folder, and records are durable. Keys that the server generates in the request that stores
/// the file need no claim: they have 190 random bits, and no client sees them earlier.
package final class KeyClaims: Sendable {
    private let apps = Mutex<[AppID: FileRecords]>([:])
    private let claims = Claims<FileKey>()

    /// Creates claims without apps.
    package init() {}

    func add(_ app: AppID, _ files: FileRecords) {
        apps.withLock { $0[app] = files }
    }

    /// Throws ``ServiceError/Code/duplicateValue`` if another app has a file under the key.
    func requireFree(_ key: FileKey, besides app: AppID) async throws {
        for (other, files) in apps.withLock(\.self) where other != app {
            if try await files.file(key: key) != nil { throw KeyClaims.taken(key) }
        }
    }

    /// Runs a body that creates the file of a key, while no other app does so with the same key.
    ///
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another app has a file under the key; errors of the body.
    func claiming<Result>(_ key: FileKey, for app: AppID, _ body: () async throws -> Result) async throws -> Result {
        let apps = apps.withLock(\.self)
        guard apps.keys.contains(where: { $0 != app }) else { return try await body() }
        return try await claims.holding(key) {
            guard let coordination = apps[app]?.store.coordination else {
                try await requireFree(key, besides: app)
                return try await body()
            }
            // Other servers can create files of the other apps.
            return try await coordination.locking([key.description], .allApps) {
                try await requireFree(key, besides: app)
                return try await body()
            }
        }
    }

    /// The error for a key that a file or an unfinished upload has.
    static func taken(_ key: FileKey) -> ServiceError {
        ServiceError(.duplicateValue, "The key '\(key)' is taken.")
    }
}
