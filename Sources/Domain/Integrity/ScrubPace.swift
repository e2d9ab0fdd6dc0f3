/// How fast the scrubber reads.
package struct ScrubPace: Sendable, Hashable {
    /// Bytes per second at most.
    package let rate: Double

    /// How many times as long as a piece took the scrubber waits before the next one: it takes a fourth of one thread's
    /// time, and less of a disk that is busy and therefore slow.
    static let restFactor = 3

    /// Creates the pace of a round.
    ///
    /// - Parameters:
    ///   - bytes: The size of all files.
    ///   - days: The time for the round, more than 0.
    ///   - least: The lowest rate in bytes per second: a small storage is read sooner, and then rests.
    package init(bytes: Int64, days: Double, least: Int64) {
        rate = max(Double(max(1, least)), Double(max(0, bytes)) / (max(days, 1e-9) * 86_400))
    }

    /// The time to wait after a piece.
    ///
    /// - Parameters:
    ///   - bytes: The size of the piece.
    ///   - time: How long reading it took.
    /// - Returns: The pause, so that the rate is kept and the disk is mostly free.
    package func pause(after bytes: Int, taking time: Duration) -> Duration {
        max(.seconds(Double(bytes) / rate) - time, time * ScrubPace.restFactor)
    }
}
