internal import Domain
internal import Logging
internal import NIOPosix
internal import ServiceLifecycle

/// Runs the continuous backups of all apps; none without `backup.target`.
///
/// The last changes are stored apart from the service, because services stop before the requests that still run end,
/// and share one time for that (`http.shutdownTimeout`).
struct ContinuousBackups: Service {
    let loops: [BackupLoop]
    let interval: Int
    /// `http.shutdownTimeout` in seconds.
    let shutdownTimeout: Int
    let pool: NIOThreadPool

    /// The maximum time in seconds for the last changes when the server stops; what is left, the next generation has.
    private static let maxStopTime = 10

    /// Not longer than running requests have, so that a server that has to stop soon does so.
    private var stopTime: Duration { .seconds(min(max(shutdownTimeout, 1), ContinuousBackups.maxStopTime)) }

    func run() async throws {
        for loop in loops { loop.start() }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for loop in loops { try? await pool.runIfActive { loop.look() } }
                try? await Task.sleep(for: .seconds(interval))
            }
        }
    }

    /// Stores the last changes; called when nothing changes the databases any more, and before they are closed.
    ///
    /// A target that fails or does not answer is logged and no error: the rest of the stop follows.
    func finish() async {
        await withDiscardingTaskGroup { group in
            for loop in loops { group.addTask { await loop.finish(within: stopTime) } }
        }
    }
}
