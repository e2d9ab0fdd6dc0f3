internal import Domain
internal import Synchronization

/// The captures of a database's write-ahead log: one, and a second one while a generation begins that follows another.
///
/// Thread-safe.
final class LogCaptures: Sendable {
    private let database: String
    private let captures = Mutex<[LogCapture]>([])

    /// Creates the captures of a database's log, none at first.
    init(database: String) {
        self.database = database
    }

    /// Creates a capture, which hears of commits until ``remove(_:)``.
    func add() -> LogCapture {
        let capture = LogCapture(database: database)
        captures.withLock { $0.append(capture) }
        return capture
    }

    /// Removes a capture.
    func remove(_ capture: LogCapture) {
        captures.withLock { captures in captures.removeAll { $0 === capture } }
    }

    /// Notes a commit; the writer waits.
    func committed(_ end: CommitMark.Place, previous: CommitMark.Place?) {
        forEach { $0.committed(end, previous: previous) }
    }

    /// Reads all frames up to the last commit.
    func advance() {
        forEach { $0.advance() }
    }

    /// Ends all captures.
    func end() {
        forEach { $0.end() }
    }

    private func forEach(_ body: (LogCapture) -> Void) {
        for capture in captures.withLock(\.self) { body(capture) }
    }
}
