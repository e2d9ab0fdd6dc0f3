/// The use of a batch's limits so far, for a batch whose commands come in several calls.
package struct ObjectBatch: Sendable {
    /// The bytes that remain for replies to reads; `nil` before the first call.
    var replyCapacity: Int?
    /// The time that remains for the queries of all its commands; `nil` before the first call.
    var budget: QueryBudget?
    let presence: (any CallerPresence)?
    private var passwords = 0

    /// Creates a batch before its first command.
    ///
    /// - Parameter presence: Cancels slow queries when the client disconnects; without it they run to their end.
    package init(presence: (any CallerPresence)? = nil) {
        self.presence = presence
    }

    /// Counts the commands that set passwords.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the batch sets more passwords than the limit.
    package mutating func countPasswords(in commands: [Result<ObjectCommand, any Error>]) throws {
        passwords += commands.count { (try? $0.get().setsPassword) ?? false }
        guard passwords <= AccountPreparation.maxPasswords else {
            throw ServiceError(
                .badRequest,
                "The batch sets more than \(AccountPreparation.maxPasswords) passwords, the limit."
            )
        }
    }
}

extension ObjectCommand {
    fileprivate var setsPassword: Bool {
        className == .user && change?.fields.contains("password") == true
    }
}
