internal import Glibc

/// The current rate of transfers, smoothed over some seconds.
struct RateMeter {
    /// The time in seconds over which the rate is smoothed.
    private static let window = 3.0
    private var last: (bytes: Int64, seconds: Double)?
    /// Bytes per second; 0 before the second sample.
    private(set) var rate = 0.0
    private var isSettled = false

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - bytes: All bytes so far; fewer than before if bytes are sent again, which counts as 0.
    ///   - seconds: The time of the sample; samples at the same time are ignored.
    mutating func sample(_ bytes: Int64, at seconds: Double) {
        guard let last else {
            last = (bytes, seconds)
            return
        }
        let time = seconds - last.seconds
        guard time > 0 else { return }
        let current = Double(max(0, bytes - last.bytes)) / time
        // The first samples count fully, so that the rate need not climb from 0.
        let weight = isSettled ? 1 - exp(-time / RateMeter.window) : 1
        rate += (current - rate) * weight
        isSettled = isSettled || current > 0
        self.last = (bytes, seconds)
    }
}
