internal import CoreMetrics
internal import Synchronization

/// One value of a counter or gauge with its labels; thread-safe, without a lock.
final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    let labels: [(name: String, value: String)]
    /// The bit pattern of the value.
    private let bits = Atomic(Double(0).bitPattern)

    init(labels: [(name: String, value: String)]) {
        self.labels = labels
    }

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func decrement(by amount: Double) { increment(by: -amount) }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func reset() { set(0.0) }

    func increment(by amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: known) + amount).bitPattern
            let (isDone, current) = bits.weakCompareExchange(expected: known, desired: new, ordering: .relaxed)
            if isDone { return }
            known = current
        }
    }
}
