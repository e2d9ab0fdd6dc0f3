internal import Domain
internal import Logging
internal import NIOPosix
internal import ServiceLifecycle

/// Runs the continuous backups of all apps; none without `backup.target`.
struct ContinuousBackups: Service {
    let loops: [BackupLoop]
    let interval: Int
    let pool: NIOThreadPool

    /// The time for the last changes when the server stops; what is left, the next generation has.
    private static let stopTime = Duration.seconds(10)

    func run() async throws {
        for loop in loops { loop.start() }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for loop in loops { try? await pool.runIfActive { loop.look() } }
                try? await Task.sleep(for: .seconds(interval))
            }
        }
        for loop in loops { loop.stop() }
        await withTaskGroup { group in
            group.addTask { for loop in loops { await loop.waitForEnd() } }
            group.addTask { try? await Task.sleep(for: ContinuousBackups.stopTime) }
            await group.next()
            group.cancelAll()
        }
    }
}
