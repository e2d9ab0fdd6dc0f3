/// The pause before a failed operation is tried again: it doubles each time, up to a bound.
package struct Backoff: Sendable {
    private let first: Duration
    private let max: Duration
    private var pause: Duration

    /// - Parameters:
    ///   - first: The first pause.
    ///   - max: The longest pause.
    package init(first: Duration = .seconds(1), max: Duration = .seconds(300)) {
        self.first = first
        self.max = max
        pause = first
    }

    /// The next pause; doubles the one after it.
    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, max) }
        return pause
    }

    /// Restarts with the first pause; called after a success.
    package mutating func reset() {
        pause = first
    }
}
