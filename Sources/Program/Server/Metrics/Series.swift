internal import CoreMetrics
internal import Synchronization

/// One metric with its labels; thread-safe.
final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String {
        case counter
        case gauge
        case summary
        case histogram
    }

    let id: SeriesID
    let kind: Kind
    private let state = Mutex(State())

    private struct State {
        var value = 0.0
        var sum = 0.0
        var count = 0
        var buckets = [Int](repeating: 0, count: Series.bounds.count)
    }

    /// The upper bounds of a histogram's buckets in seconds: from a cached response to a slow upload.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    init(id: SeriesID, kind: Kind) {
        self.id = id
        self.kind = kind
    }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { state.withLock { $0.value += amount } }
    func decrement(by amount: Double) { state.withLock { $0.value -= amount } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
    func reset() { state.withLock { $0 = State() } }

    func record(_ value: Double) {
        state.withLock { state in
            state.value = value
            state.sum += value
            state.count += 1
            if let bucket = Series.bounds.firstIndex(where: { value <= $0 }) { state.buckets[bucket] += 1 }
        }
    }

    /// The lines of this series.
    func text() -> String {
        let state = state.withLock { $0 }
        switch kind {
        case .counter, .gauge:
            return line("", id.labels, "\(state.value)")
        case .summary:
            return line("_sum", id.labels, "\(state.sum)") + line("_count", id.labels, "\(state.count)")
        case .histogram:
            var total = 0
            var text = ""
            for (bound, count) in zip(Series.bounds, state.buckets) {
                total += count
                text += line("_bucket", joined("le=\"\(bound)\""), "\(total)")
            }
            text += line("_bucket", joined("le=\"+Inf\""), "\(state.count)")
            return text + line("_sum", id.labels, "\(state.sum)") + line("_count", id.labels, "\(state.count)")
        }
    }

    private func joined(_ label: String) -> String {
        id.labels.isEmpty ? label : "\(id.labels),\(label)"
    }

    private func line(_ suffix: String, _ labels: String, _ value: String) -> String {
        "\(id.name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
}
