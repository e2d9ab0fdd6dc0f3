internal import CoreMetrics
internal import Domain
internal import Glibc
internal import NIOPosix
internal import ServiceLifecycle

/// Inspects the storage every few seconds, so that `/health` and the metrics report its state without access to the
/// disk.
struct StorageWatch: Service {
    let health: StorageHealth
    /// The database of each app.
    let databases: [(app: AppID, database: any AppDatabase)]
    /// The folders that uploads need.
    let folders: [String]
    let pool: NIOThreadPool

    /// The time between two inspections; the request that encounters a full disk reports it earlier.
    private static let interval = Duration.seconds(2)

    func run() async throws {
        let free = Gauge(label: "lcfile_storage_free_bytes")
        let size = Gauge(label: "lcfile_storage_size_bytes")
        let reserve = Gauge(label: "lcfile_storage_reserve_bytes")
        let faults = StorageFault.allCases.map { fault in
            (fault, Gauge(label: "lcfile_storage_fault", dimensions: [("kind", fault.rawValue)]))
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if let condition = try? await pool.runIfActive({ health.look(displaced: displaced()) }) {
                    free.record(condition.free)
                    size.record(condition.size)
                    reserve.record(condition.reserve)
                }
                await recordDatabases()
                let known = health.faults
                for (fault, gauge) in faults { gauge.record(known.contains(fault) ? 1 : 0) }
                try? await Task.sleep(for: StorageWatch.interval)
            }
        }
    }

    /// The databases and folders that are not in their places any more; blocks for a system call for each.
    func displaced() -> [StorageDisplacement] {
        databases.compactMap { $0.database.displacement() }
            + folders.filter { access($0, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno) }.map { .folder($0) }
    }

    /// Records the sizes of the databases' files.
    ///
    /// Reading them waits for the disk, so the page of the metrics does not do it.
    private func recordDatabases() async {
        for (app, database) in databases {
            guard let sizes = try? await pool.runIfActive({ database.sizes() }) else { return }
            for (file, size) in sizes {
                let labels = [("app", app.description), ("file", file)]
                Gauge(label: "lcfile_database_size_bytes", dimensions: labels).record(size)
            }
        }
    }

    /// Counts a fault that a request encountered.
    ///
    /// The counter is looked up each time, because the first faults can precede the metrics system.
    @Sendable static func count(_ fault: StorageFault) {
        Counter(label: "lcfile_storage_faults_total", dimensions: [("kind", fault.rawValue)]).increment()
    }
}
