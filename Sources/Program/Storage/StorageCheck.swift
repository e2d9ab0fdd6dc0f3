internal import Dispatch
package import Domain

/// Checks a storage folder, while a server runs on it or not, and repairs it.
///
/// For commands. What a running server is just changing looks like damage, so each finding about it is looked at again
/// before it counts (docs/check.md has the reasons).
package struct StorageCheck: Sendable {
    private let storage: String
    private let engine: any CheckEngine
    private let options: CheckOptions
    private let observer: CheckObserver

    /// Creates a check of a storage folder.
    ///
    /// - Parameters:
    ///   - storage: The folder.
    ///   - engine: Reads databases and blobs.
    ///   - options: What the check does.
    ///   - observer: Hears of findings and progress.
    package init(of storage: String, with engine: any CheckEngine, _ options: CheckOptions, _ observer: CheckObserver) {
        self.storage = StorageContents.trimmed(storage)
        self.engine = engine
        self.options = options
        self.observer = observer
    }

    /// Checks all apps.
    ///
    /// - Returns: The result; damage is part of it.
    /// - Throws: ``ExitError`` if something could not be checked, or if a repair is not possible because a server runs.
    package func run() async throws -> CheckSummary {
        guard StorageContents.exists(storage) else {
            throw ExitError.storage("the storage folder \(storage) does not exist")
        }
        let names = try StorageContents.names(in: storage)
        guard !names.contains(StorageFolder.restoreDraft) else {
            throw ExitError.storage("the storage folder \(storage) contains an interrupted restore; restore again")
        }
        let apps = try names.filter { name in
            try AppID(name) != nil
                && StorageContents.hasDatabase(in: "\(storage)/\(name)", named: engine.databaseName)
        }.sorted()
        let lost = try StorageContents.appsWithoutDatabase(in: storage, named: engine.databaseName)
        guard !apps.isEmpty || !lost.isEmpty else {
            throw ExitError.storage("the storage folder \(storage) contains no app to check")
        }
        guard options.repairs else { return try await check(apps, lost) }
        // The lock: a server that starts meanwhile refuses to.
        let folder = try StorageFolder(path: storage)
        defer { withExtendedLifetime(folder.path) {} }
        return try await check(apps, lost)
    }

    /// Checks apps, and reports those whose database is gone: their blobs would be orphans of an empty one.
    private func check(_ apps: [String], _ lost: [String]) async throws -> CheckSummary {
        var summary = CheckSummary()
        for app in lost {
            let finding = IntegrityFinding(
                app: app,
                .damagedDatabase,
                engine.databaseName,
                StorageContents.lostDatabaseAdvice
            )
            summary.apps += 1
            summary.add(finding)
            observer.found(CheckFinding(finding))
        }
        var rounds: [Timestamp?] = []
        for app in apps {
            let check = AppCheck(app, in: "\(storage)/\(app)", engine, options, observer)
            summary = try await check.run(adding: summary)
            rounds.append(check.blobs.scrubState()?.ended)
        }
        let known = rounds.compactMap(\.self)
        if known.count == rounds.count { summary.scrubbed = known.min()?.iso8601 }
        return summary
    }
}

/// Runs blocking work on a thread of its own, so that the cooperative pool can show progress.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
}
