/// How many transfers of a client run at the same time: as many as the server answers well, up to a maximum.
///
/// The number grows by one for each round of successful transfers, and is halved when the server says that it has too
/// much to do, as the window of TCP is (RFC 5681).
struct ConnectionLimit {
    /// The number with which a client begins, if the maximum is not smaller.
    static let first = 4.0
    /// The time within which further signs of overload count as the same one.
    static let reactionTime = Duration.seconds(1)
    private let maximum: Double
    private var limit: Double
    private var reduced: ContinuousClock.Instant?

    /// - Parameter maximum: The maximum; less than 1 counts as 1.
    init(maximum: Int) {
        self.maximum = Double(max(1, maximum))
        limit = min(self.maximum, ConnectionLimit.first)
    }

    /// The number of transfers that can run, at least 1.
    var count: Int { Int(limit) }

    /// Notes a transfer that the server has answered.
    mutating func noteSuccess() {
        limit = min(maximum, limit + 1 / limit)
    }

    /// Notes a response that shows overload: 429 or 503.
    mutating func noteOverload(at now: ContinuousClock.Instant) {
        if let reduced, now - reduced < ConnectionLimit.reactionTime { return }
        reduced = now
        limit = max(1, limit / 2)
    }
}
