/// When a failed request is sent again: with growing pauses, a bounded number of times without progress.
struct S3Retries {
    private let options: S3Options
    private var failures = 0

    init(_ options: S3Options) { self.options = options }

    /// Notes that the last attempt achieved something, such as bytes of a download.
    mutating func noteProgress() { failures = 0 }

    /// The pause before the next attempt; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - random: A number from 0 to 1, so that many clients do not return at the same moment.
    /// - Returns: The pause.
    mutating func pause(after error: S3Error, random: Double = .random(in: 0...1)) -> Duration? {
        failures += 1
        guard error.isTemporary, failures < options.attempts else { return nil }
        let doubled = options.firstPause * (1 << min(20, failures - 1))
        let own = min(doubled, options.longestPause) * (0.5 + random / 2)
        return max(own, min(.seconds(error.retryAfter), options.longestPause))
    }
}
