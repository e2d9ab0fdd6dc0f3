extension ObjectStore {
    /// Runs changes by the rules in one transaction, for the caller as the transaction finds it.
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - settings: The rules' settings and dependencies.
    ///   - evaluations: The results of conditions that were evaluated before the transaction.
    ///   - body: The changes; it can run several times (``ObjectStore``).
    /// - Returns: The result of the last run of the body.
    /// - Throws: Errors of the body; ``CostlyCondition`` for a condition that must be evaluated before the transaction.
    func write<Reply: Sendable>(
        as caller: Caller,
        by settings: ObjectSettings,
        knowing evaluations: [Pointer: [ConditionCheck.Evaluation]] = [:],
        _ body: @escaping @Sendable (ObjectWriteRules) throws -> Reply
    ) async throws -> Reply {
        let signUps = SignUps(settings.accountDependencies.signUpRate)
        let mails = TakenMessages(settings.mail?.allowance.messages)
        let sms = TakenMessages(settings.sms?.allowance.messages)
        do {
            return try await write { writer in
                signUps.startOver()
                mails.startOver()
                sms.startOver()
                return try body(
                    ObjectWriteRules(
                        writer: writer,
                        access: ObjectAccess(caller: try writer.revalidated(caller, settings.accountDependencies)),
                        settings: settings,
                        // Each run has its own time limit.
                        conditions: ConditionCheck(knowing: evaluations),
                        signUps: signUps,
                        mails: mails,
                        sms: sms
                    )
                )
            }
        } catch {
            signUps.startOver()
            mails.startOver()
            sms.startOver()
            throw error
        }
    }
}
