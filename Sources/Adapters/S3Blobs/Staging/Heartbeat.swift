/// The renewals of this server's heartbeat, by its own monotonic clock, which also counts while the machine is suspended.
struct Heartbeat {
    /// The beginning of the last renewal; `nil` before the first one.
    private(set) var renewed: ContinuousClock.Instant?
    /// The time since which the heartbeat was never old, so that no other server has taken this one for ended.
    private var unbrokenSince: ContinuousClock.Instant?

    /// The age that counts as old here: the store's time of a renewal has whole seconds, and its sweeps take time.
    private static let limit = Duration.seconds(StagingServers.lease - 10)

    /// Notes a renewal.
    ///
    /// - Parameters:
    ///   - start: The time before its request.
    ///   - end: The time after the response; the store executed it between the two.
    mutating func renew(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        let wasOld = renewed.map { end - $0 >= Heartbeat.limit } ?? true
        if wasOld { unbrokenSince = start }
        renewed = start
    }

    /// Notes that the heartbeat was removed.
    mutating func end() {
        (renewed, unbrokenSince) = (nil, nil)
    }

    /// Whether no other server can have taken this one for ended since a time.
    func isUnbroken(since start: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        guard let renewed, let unbrokenSince else { return false }
        return unbrokenSince <= start && now - renewed < Heartbeat.limit
    }
}
