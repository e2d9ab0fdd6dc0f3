/// The slow steps of changes of users, which run before their transactions.
extension ObjectService {
    /// Counts the passwords that the commands of a batch set, and the platforms that a verifier must confirm.
    ///
    /// - Parameters:
    ///   - commands: The commands, or the errors of those that could not be parsed.
    ///   - batch: The batch.
    ///   - caller: The caller.
    /// - Throws: ``ServiceError/Code/badRequest`` if there are too many.
    package func countAccountWork(
        of commands: [Result<ObjectCommand, any Error>],
        in batch: inout ObjectBatch,
        by caller: Caller
    ) throws {
        for command in commands {
            guard let command = try? command.get(), command.className == .user, let change = command.change else {
                continue
            }
            try batch.accountWork.count(change, verifying: verifies(caller))
        }
    }

    /// The same for the items of a save.
    func requireLittleAccountWork(of items: [SaveItem], by caller: Caller) throws {
        var work = AccountWork()
        for item in items where item.className == .user { try work.count(item.change, verifying: verifies(caller)) }
    }

    /// Whether a change of a user needs slow steps before its transaction: a password to hash, or platforms to verify.
    func needsAccountWork(_ command: ObjectCommand, by caller: Caller) -> Bool {
        guard !caller.isMaster, command.className == .user, let fields = command.change?.fields else { return false }
        return fields.contains("password") || verifies(caller) && fields.contains(AuthData.field)
    }

    /// A change of a new or known user with its slow steps done.
    func prepared(
        _ change: ObjectChange,
        of user: ObjectID?,
        by preparation: AccountPreparation
    ) async throws -> ObjectChange {
        let prepared = try await preparation.prepared(change, of: user)
        try requireKnownIdentities(in: prepared)
        return prepared
    }

    /// Whether a verifier confirms the `authData` of the caller.
    private func verifies(_ caller: Caller) -> Bool {
        settings.accountDependencies.verifier != nil && !caller.isMaster
    }
}
