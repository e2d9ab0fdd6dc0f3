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
    private let wake = DispatchSemaphore(value: 0)
    private let isStopping = Atomic(false)
    private let finished: AsyncStream<Void>
    private let finish: AsyncStream<Void>.Continuation

    /// The longest time in seconds between two attempts.
    private static let maxPause = 10

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

    /// Ends the loop after the last changes are stored.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        wake.signal()
    }

    /// Returns when the thread has ended, or the task is cancelled.
    func waitForEnd() async {
        for await _ in finished {}
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
            _ = wake.wait(timeout: .now() + .seconds(pause))
        }
        do {
            try backup.finish()
        } catch {
            log(.error, "The continuous backup lacks the last changes.", "\(error)")
        }
    }

    private func log(_ level: Logger.Level, _ message: String, _ reason: String?) {
        var metadata: Logger.Metadata = ["app": "\(app)"]
        metadata["reason"] = reason.map { "\($0)" }
        logger.log(level: level, "\(message)", metadata: metadata)
    }
}
