/// When rows of live queries expire, and when the server that has the client's connection renews them.
///
/// The clocks of the servers are allowed to differ by ``tolerance``: a row of a connected client never has less left
/// than the lifetime and the tolerance, by the clock of the server that renews it. Rows of a dead server stay for up to
/// ``horizon`` more; they cost nothing but their place in the limits, because only a server with the connection of an
/// installation has its subscriptions in memory.
struct LiveTimes: Sendable {
    /// ``LiveQueryLimits/lifetime``.
    let lifetime: Int

    /// The seconds by which the clocks of two servers can differ.
    static let tolerance = 300
    /// The seconds of connection before the first renewal, so that a page that is looked at for a moment causes none.
    static let grace = 300
    /// The seconds for which a renewal lasts.
    static let horizon = 3600

    /// The seconds after which a new row expires.
    var shortest: Int { lifetime + LiveTimes.tolerance + LiveTimes.grace }

    /// When a new row expires, and one whose client has left.
    func short(from now: Timestamp) -> Timestamp {
        now.adding(seconds: shortest)
    }

    /// When a renewed row expires.
    func long(from now: Timestamp) -> Timestamp {
        now.adding(seconds: lifetime + LiveTimes.tolerance + LiveTimes.horizon)
    }

    /// Whether a row of a connected client needs a renewal.
    func isDue(_ expiresAt: Timestamp, at now: Timestamp) -> Bool {
        expiresAt < now.adding(seconds: lifetime + LiveTimes.tolerance)
    }
}
