/// The use of a batch's limits so far, for a batch whose commands come in several calls.
package struct ObjectBatch: Sendable {
    /// The bytes that remain for replies to reads; `nil` before the first call.
    var replyCapacity: Int?
    /// The time that remains for the queries of all its commands; `nil` before the first call.
    var budget: QueryBudget?
    /// The caller of the next command, with a session that an earlier command began in place of the caller's own; `nil`
    /// before the first call.
    var caller: Caller?
    /// The slow steps of its changes of users.
    var accountWork = AccountWork()
    let presence: (any CallerPresence)?

    /// Creates a batch before its first command.
    ///
    /// - Parameter presence: Cancels slow queries when the client disconnects; without it they run to their end.
    package init(presence: (any CallerPresence)? = nil) {
        self.presence = presence
    }
}
