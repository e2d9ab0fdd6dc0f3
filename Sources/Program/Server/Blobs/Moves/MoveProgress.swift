internal import Domain
internal import Synchronization

/// Tells the operator of a long move how far it is, every half a minute.
final class MoveProgress: Sendable {
    private let app: AppID
    private let report: @Sendable (String) -> Void
    private let last = Mutex(ContinuousClock.now)

    private static let interval = Duration.seconds(30)

    /// - Parameters:
    ///   - app: The app.
    ///   - report: Receives a line.
    init(of app: AppID, report: @escaping @Sendable (String) -> Void) {
        self.app = app
        self.report = report
    }

    /// Takes what was done so far, and the number of the 256 parts that are complete.
    func note(_ outcome: BlobMove.Outcome, parts: Int) {
        let now = ContinuousClock.now
        let isTime = last.withLock { last in
            guard last.duration(to: now) >= MoveProgress.interval else { return false }
            last = now
            return true
        }
        guard isTime else { return }
        report("app \(app): \(parts * 100 / 256)%, \(outcome.files) files, \(outcome.bytes) bytes copied")
    }
}
