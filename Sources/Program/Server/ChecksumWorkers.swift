internal import Domain
internal import Logging
internal import ServiceLifecycle

/// Computes the checksums of rows that an earlier version wrote, with one worker for each app.
///
/// After an upgrade only; a start that finds none left does nothing.
struct ChecksumWorkers: Service {
    let databases: [(app: AppID, database: any AppDatabase)]
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for (app, database) in databases {
                    group.addTask { await database.fillChecksums(of: app, logger) }
                }
            }
        }
        // The end of a service would end the server.
        try await gracefulShutdown()
    }
}
