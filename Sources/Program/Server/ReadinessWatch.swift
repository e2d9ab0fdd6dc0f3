internal import Domain
internal import Logging
internal import NIOPosix
internal import ServiceLifecycle
internal import Storage

/// Checks each second whether the server can do all of its work, so that `/ready` answers from memory.
///
/// Each check is a loop of its own, so that one which hangs does not hide the results of the others: ``Readiness``
/// treats its old result as a failure. At the beginning of a shutdown the server stops to be ready.
struct ReadinessWatch: Service {
    let readiness: Readiness
    let health: StorageHealth
    let probe: StorageProbe
    let pool: NIOThreadPool
    /// The store of each app.
    let stores: [any ObjectStore]
    /// The store of blobs in a bucket; `nil` without one.
    let bucket: BucketProbe?
    /// The queues, each with the obstacle that a full one is.
    let queues: [(obstacle: Readiness.Obstacle, isFull: @Sendable () -> Bool)]
    let logger: Logger

    /// The time between the end of a check and the next one.
    private static let interval = Duration.seconds(1)

    /// Runs each check once, so that the server is ready when its listener opens.
    func begin() async {
        for check in Readiness.Check.allCases { await run(check) }
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                await withDiscardingTaskGroup { group in
                    for check in Readiness.Check.allCases { group.addTask { await repeatedly { await run(check) } } }
                    group.addTask { await log() }
                }
            }
        } onGracefulShutdown: {
            readiness.stop()
        }
    }

    private func repeatedly(_ body: () async -> Void) async {
        while !Task.isCancelled {
            await body()
            try? await Task.sleep(for: ReadinessWatch.interval)
        }
    }

    private func run(_ check: Readiness.Check) async {
        switch check {
        case .storage:
            // It throws only if it is cancelled.
            guard let found = try? await pool.runIfActive({ [probe] in probe.check() }) else { return }
            readiness.record(.storage, found.union(health.faults.compactMap(Readiness.Obstacle.init)))
        case .database:
            readiness.record(.database, await databases())
        case .blobs:
            readiness.record(.blobs, await bucket?.check() ?? [])
        case .queues:
            readiness.record(.queues, Set(queues.filter { $0.isFull() }.map(\.obstacle)))
        }
    }

    /// Reads one row of each database, which need not exist.
    ///
    /// It does not write: a long change, such as a new index, delays other changes, and reads go on.
    private func databases() async -> Set<Readiness.Obstacle> {
        guard let id = ObjectID("readiness") else { return [] }
        for store in stores {
            do {
                _ = try await store.read { try $0.row(id, in: .file) }
            } catch is CancellationError {
                return []
            } catch {
                return [.database]
            }
        }
        return []
    }

    /// Logs when the server stops to be ready, and when it is ready again.
    private func log() async {
        var known: [Readiness.Obstacle] = []
        await repeatedly {
            let current = readiness.obstacles
            defer { known = current }
            guard current != known, !current.contains(.stopping) else { return }
            if current.isEmpty {
                logger.notice("The server is ready again")
            } else {
                let names = current.map(\.rawValue).joined(separator: ", ")
                logger.warning("The server is not ready", metadata: ["reasons": "\(names)"])
            }
        }
    }
}
