internal import Logging
internal import Synchronization

/// Records in the log why clients had to come back or get no events, at most once in a while.
final class LossLog: Sendable {
    private let app: AppID
    private let logger: Logger
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let next = Mutex<ContinuousClock.Instant?>(nil)

    /// The time between two lines.
    private static let pause = Duration.seconds(10)

    init(app: AppID, logger: Logger, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.app = app
        self.logger = logger
        self.clock = clock
    }

    /// Records a reason, unless another one was recorded shortly before.
    func note(_ message: Logger.Message, _ error: (any Error)?, connections: Int) {
        var metadata: Logger.Metadata = ["connections": "\(connections)"]
        if let error { metadata["error"] = "\(error.logged)" }
        note(message, metadata)
    }

    /// Records a reason with what is known about it, unless another one was recorded shortly before.
    func note(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        let now = clock()
        let isDue = next.withLock { next in
            guard next.map({ $0 <= now }) ?? true else { return false }
            next = now + LossLog.pause
            return true
        }
        guard isDue else { return }
        logger.warning(message, metadata: metadata.merging(["app": "\(app)"]) { own, _ in own })
    }
}
