internal import Synchronization

/// Counts durations in buckets, as Prometheus' histograms have them; thread-safe, without a lock.
package final class DurationHistogram: Sendable {
    /// The upper bounds of the buckets; a further one has longer durations.
    package enum Scale: Sendable {
        /// From 0.5 ms to a minute: requests, and the work for one.
        case requests
        /// From 0.1 ms to 10 s: single accesses to the disk.
        case accesses

        /// In seconds, in ascending order; ``DurationHistogram/bucketCount`` of them.
        package var bounds: [Double] {
            switch self {
            case .requests: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
            case .accesses:
                [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
            }
        }
    }

    /// The counts at one time.
    package struct Snapshot: Sendable, Equatable {
        /// The upper bound of each bucket in seconds.
        package var bounds: [Double]
        /// The durations in each bucket, not cumulative; the last one has those beyond the last bound.
        package var counts: [Int]
        /// The sum of all durations in seconds.
        package var sum: Double

        /// The number of durations.
        package var count: Int { counts.reduce(0, +) }
    }

    /// The number of buckets with an upper bound.
    package static let bucketCount = 16

    private let scale: Scale
    /// In nanoseconds.
    private let bounds: [Int64]
    private let counts = InlineArray<17, Atomic<Int>> { _ in Atomic(0) }
    /// In nanoseconds: the range suffices for 292 years.
    private let sum = Atomic<Int64>(0)

    /// Creates an empty histogram.
    package init(_ scale: Scale = .requests) {
        self.scale = scale
        bounds = scale.bounds.map { Int64(($0 * 1_000_000_000).rounded()) }
    }

    /// Counts a duration.
    package func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        record(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Counts a duration in nanoseconds; a negative one counts as 0.
    package func record(nanoseconds: Int64) {
        let bucket = bounds.firstIndex { nanoseconds <= $0 } ?? DurationHistogram.bucketCount
        counts[bucket].wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(max(0, nanoseconds), ordering: .relaxed)
    }

    /// Runs a body and counts its duration, also if it throws.
    @discardableResult
    package func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        defer { record(.now - start) }
        return try body()
    }

    /// Runs an asynchronous body and counts its duration, also if it throws.
    package func measureAwaiting<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let start = ContinuousClock.now
        defer { record(.now - start) }
        return try await body()
    }

    /// The counts; a duration that is being recorded can be in the counts and not in the sum.
    package var snapshot: Snapshot {
        Snapshot(
            bounds: scale.bounds,
            counts: (0...DurationHistogram.bucketCount).map { counts[$0].load(ordering: .relaxed) },
            sum: Double(sum.load(ordering: .relaxed)) / 1_000_000_000
        )
    }
}
