internal import CoreMetrics
internal import Dispatch
internal import Domain
internal import Logging
internal import Storage
internal import Synchronization

/// Runs the continuous backup of one app on a thread of its own, because each transfer blocks for as long as it takes.
final class BackupLoop: Sendable {
    private let app: AppID
    private let backup: ContinuousBackup
    private let interval: Int
    private let logger: Logger
    private let queue = DispatchQueue(label: "lcfile.backup")
    private let wake = TimedSemaphore()
    private let isStopping = Atomic(false)
    private let finished: AsyncStream<Void>
    private let finish: AsyncStream<Void>.Continuation

    /// The longest time in seconds between two attempts.
    private static let maxPause = 10
    private static let lackMessage: Logger.Message = "The continuous backup lacks the last changes."

    init(_ backup: ContinuousBackup, of app: AppID, interval: Int, logger: Logger) {
        self.app = app
        self.backup = backup
        self.interval = interval
        self.logger = logger
        (finished, finish) = AsyncStream.makeStream()
    }

    /// Starts the thread; to be called once.
    func start() {
        queue.async { [self] in
            run()
            finish.finish()
        }
    }

    /// Ends the loop after the last changes are stored, and logs if that takes longer than the time.
    ///
    /// The thread then goes on in its call of the target, which nothing can end, until the process exits.
    func finish(within time: Duration) async {
        isStopping.store(true, ordering: .relaxed)
        wake.signal()
        let isInTime = await withTaskGroup(of: Bool.self) { [finished] group in
            group.addTask {
                for await _ in finished {}
                return true
            }
            group.addTask {
                try? await Task.sleep(for: time)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !isInTime { log(.error, BackupLoop.lackMessage, "the target took longer than \(time.components.seconds) s") }
    }

    /// Reads what was committed and measures what waits, also during a transfer.
    func look() {
        backup.advance()
        let lag = backup.lag
        let labels = [("app", app.description)]
        Gauge(label: "lcfile_backup_lag_seconds", dimensions: labels).record(lag.seconds)
        Gauge(label: "lcfile_backup_waiting_bytes", dimensions: labels).record(lag.bytes)
    }

    private func run() {
        func counter(_ name: String) -> Counter {
            Counter(label: "lcfile_backup_\(name)_total", dimensions: [("app", app.description)])
        }
        let (failures, generations, segments) = (counter("failures"), counter("generations"), counter("segments"))
        var lastFailure: String?
        var pause = interval
        while !isStopping.load(ordering: .relaxed) {
            do {
                switch try backup.step() {
                case .began(let damaged):
                    generations.increment()
                    let reason = damaged > 0 ? "\(damaged) files are damaged" : nil
                    log(.notice, "The continuous backup began a generation.", reason)
                case .stored(let damage):
                    segments.increment()
                    for one in damage { log(.error, "The continuous backup lacks a damaged file.", one) }
                case .idle: break
                case .lost(let reason):
                    failures.increment()
                    log(.warning, "The continuous backup begins a new generation.", reason)
                }
                if lastFailure != nil { log(.notice, "The continuous backup works again.", nil) }
                lastFailure = nil
                pause = interval
            } catch {
                failures.increment()
                let reason = "\(error)"
                if reason != lastFailure { log(.error, "The continuous backup failed; it tries again.", reason) }
                lastFailure = reason
                pause = max(interval, min(BackupLoop.maxPause, pause * 2))
            }
            _ = wake.wait(for: .seconds(pause))
        }
        do {
            try backup.finish()
        } catch {
            log(.error, BackupLoop.lackMessage, "\(error)")
        }
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ reason: String?) {
        var metadata: Logger.Metadata = ["app": "\(app)"]
        metadata["reason"] = reason.map { "\($0)" }
        logger.log(level: level, message, metadata: metadata)
    }
}
