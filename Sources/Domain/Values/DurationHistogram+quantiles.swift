extension DurationHistogram.Snapshot {
    /// The durations that were counted after an earlier snapshot of the same histogram.
    package func since(_ earlier: DurationHistogram.Snapshot) -> DurationHistogram.Snapshot {
        var difference = self
        for index in counts.indices where index < earlier.counts.count {
            difference.counts[index] = max(0, counts[index] - earlier.counts[index])
        }
        difference.sum = max(0, sum - earlier.sum)
        return difference
    }

    /// Adds the durations of another histogram with the same bounds.
    package mutating func add(_ other: DurationHistogram.Snapshot) {
        for index in counts.indices where index < other.counts.count { counts[index] += other.counts[index] }
        sum += other.sum
    }

    /// The duration in seconds that a share of the durations does not exceed, as Prometheus estimates it: inside its
    /// bucket the durations count as evenly spread.
    ///
    /// - Parameter share: From 0 to 1: 0.5 for the median.
    /// - Returns: The duration, at most the last bound; `nil` without durations.
    package func quantile(_ share: Double) -> Double? {
        let total = count
        guard total > 0 else { return nil }
        let rank = share * Double(total)
        var below = 0
        for (index, bound) in bounds.enumerated() {
            let inside = counts[index]
            if inside > 0, Double(below + inside) >= rank {
                let start = index == 0 ? 0 : bounds[index - 1]
                return start + (bound - start) * max(0, rank - Double(below)) / Double(inside)
            }
            below += inside
        }
        return bounds.last
    }
}
