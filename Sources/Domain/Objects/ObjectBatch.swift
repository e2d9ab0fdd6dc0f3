/// What a batch used up of its limits so far, if its commands come in several calls.
package struct ObjectBatch: Sendable {
    /// The bytes that replies to reads may still have; nil before the first call.
    var replyCapacity: Int?
    /// How long the queries of all its commands may still run; nil before the first call.
    var budget: QueryBudget?
    let presence: (any CallerPresence)?
    private var passwords = 0

    /// A batch of which nothing was carried out.
    ///
    /// - Parameter presence: Ends slow queries when the caller goes; without it they run to their end.
    package init(presence: (any CallerPresence)? = nil) {
        self.presence = presence
    }

    /// Counts the commands that set passwords.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the batch sets more of them than it may.
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
