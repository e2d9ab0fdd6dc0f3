/// How long to wait before something that failed is tried again: twice as long each time, up to a bound.
package struct Backoff: Sendable {
    private let first: Duration
    private let max: Duration
    private var pause: Duration

    /// Takes the first pause and the longest.
    package init(first: Duration = .seconds(1), max: Duration = .seconds(300)) {
        self.first = first
        self.max = max
        pause = first
    }

    /// The next pause.
    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, max) }
        return pause
    }

    /// Begins with the first pause again, because it succeeded.
    package mutating func reset() {
        pause = first
    }
}
