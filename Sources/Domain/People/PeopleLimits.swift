/// The `people.*` settings: how much of relations and feeds one user can have and cause.
package struct PeopleLimits: Sendable {
    /// The users whom one user follows or has as friends.
    package var followees: Int
    /// The users whom one user blocks.
    package var blocked: Int
    /// The requests for friendship of one user that wait for an answer.
    package var requests: Int
    /// The statuses that one user publishes in an hour; 0 means no limit.
    package var statuses: Int
    /// The statuses in one inbox; a further one replaces the oldest.
    package var inboxSize: Int
    /// The inboxes of one user besides `default` and `private`.
    package var inboxTypes: Int

    /// Creates limits; the defaults are those of the settings.
    package init(
        followees: Int = 10_000,
        blocked: Int = 1000,
        requests: Int = 100,
        statuses: Int = 600,
        inboxSize: Int = 5000,
        inboxTypes: Int = 20
    ) {
        self.followees = followees
        self.blocked = blocked
        self.requests = requests
        self.statuses = statuses
        self.inboxSize = inboxSize
        self.inboxTypes = inboxTypes
    }
}

extension ServiceError {
    /// The refusal of a change that exceeds one of the `people.*` limits.
    static func tooMany(_ what: String, _ count: Int, setting: String) -> ServiceError {
        ServiceError(.badRequest, "\(what) \(count), the limit (\(setting)).", limit: setting)
    }
}
