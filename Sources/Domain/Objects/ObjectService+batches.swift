extension ObjectService {
    /// Performs commands in order, independently: one that fails leaves the others unchanged (protocol/data 2.1).
    ///
    /// Consecutive changes share a transaction, and so one sync of the disk. Each command has the rights that the caller
    /// has by then, as in a request of its own. A caller who sets its own password continues with the new session.
    ///
    /// - Parameters:
    ///   - commands: The commands, or the errors of those that could not be parsed.
    ///   - batch: The use of the batch's limits in earlier calls, if its commands come in several.
    ///   - caller: The caller.
    /// - Returns: The outcome of each command, in order.
    /// - Throws: ``ServiceError/Code/badRequest`` if the batch sets too many passwords or has too many platforms to verify,
    ///   and errors of the store.
    package func perform(
        _ commands: [Result<ObjectCommand, any Error>],
        in batch: inout ObjectBatch,
        as caller: Caller
    ) async throws -> [Result<ObjectReply, any Error>] {
        try countAccountWork(of: commands, in: &batch, by: caller)
        var replies: [Result<ObjectReply, any Error>] = []
        var rest = commands[...]
        let budget = batch.budget ?? budget(batch.presence)
        batch.budget = budget
        // Ten times the limit of a query for all reads; the batch stays in memory until the whole response is built.
        var capacity = batch.replyCapacity ?? settings.queries.replySize * 10
        var caller = batch.caller ?? caller
        defer {
            batch.replyCapacity = capacity
            batch.caller = caller
        }
        while let first = rest.first {
            let similar = rest.prefix { $0.isRead == first.isRead && !runsAlone($0, by: caller) }
                .prefix(ObjectService.runLength)
            let run = similar.isEmpty ? rest.prefix(1) : similar
            rest = rest.dropFirst(run.count)
            if first.isRead {
                replies += try await readAll(Array(run), caller, budget, capacity: &capacity)
            } else {
                replies += try await writeAll(Array(run), &caller, budget, capacity: &capacity)
            }
        }
        return replies
    }

    /// The maximum number of commands in a transaction, so that a long batch does not block other writers.
    private static let runLength = 100
    /// The time after which a transaction takes no further commands, for the same reason: those that change long arrays
    /// take milliseconds each.
    private static let runTime = Duration.milliseconds(100)

    /// Whether a command has a transaction of its own, because a part of it is decided before: its sub-queries, or the
    /// right to set a password.
    ///
    /// So these see the changes before it.
    private func runsAlone(_ command: Result<ObjectCommand, any Error>, by caller: Caller) -> Bool {
        guard let command = try? command.get() else { return false }
        return command.condition?.hasSubqueries == true || needsAccountWork(command, by: caller)
    }

    private func readAll(
        _ run: [Result<ObjectCommand, any Error>],
        _ caller: Caller,
        _ budget: QueryBudget,
        capacity: inout Int
    ) async throws -> [Result<ObjectReply, any Error>] {
        var replies: [Result<ObjectReply, any Error>] = []
        for command in run {
            let hasCapacity = capacity > 0
            let reply = await Result<ObjectReply, any Error>(awaiting: {
                guard hasCapacity else {
                    throw ServiceError(
                        .badRequest,
                        "The replies of the batch exceed ten times the limit of one reply (queries.maxReplySize)."
                    )
                }
                return try await perform(command.get(), as: caller, within: budget)
            })
            capacity -= reply.size
            replies.append(reply)
        }
        return replies
    }

    private func writeAll(
        _ run: [Result<ObjectCommand, any Error>],
        _ caller: inout Caller,
        _ budget: QueryBudget,
        capacity: inout Int
    ) async throws -> [Result<ObjectReply, any Error>] {
        var prepared: [Result<ObjectCommand, any Error>] = []
        var current = caller
        defer { caller = current }
        for command in run {
            // A change is always performed; its reply omits the object once the capacity is used.
            let isBrief = capacity <= 0
            prepared.append(
                await Result(awaiting: {
                    let command = try await self.prepared(command.get(), as: current, within: budget)
                    return isBrief ? command.brief : command
                })
            )
        }
        var replies: [Result<ObjectReply, any Error>] = []
        var rest = prepared[...]
        while let first = rest.first {
            var done = try await writeTogether(Array(rest), current, budget, capacity)
            if done.isEmpty {
                // Its condition takes longer than other changes are allowed to wait, so it runs alone.
                let reply = await Result(awaiting: { try await change(first.get(), as: current, within: budget) })
                done.append(reply.limited(to: capacity))
            }
            replies += done
            rest = rest.dropFirst(done.count)
            for reply in done {
                current = current.after(try? reply.get())
                capacity -= reply.size
            }
        }
        return replies
    }

    /// Performs commands in one transaction: until its time is over, or up to the first command whose condition must be
    /// evaluated before it.
    private func writeTogether(
        _ run: [Result<ObjectCommand, any Error>],
        _ caller: Caller,
        _ budget: QueryBudget,
        _ capacity: Int
    ) async throws -> [Result<ObjectReply, any Error>] {
        try await store.write(as: caller, by: settings) { rules in
            var replies: [Result<ObjectReply, any Error>] = []
            var current = rules.access.caller
            var capacity = capacity
            var currentRules = CurrentRules(rules, within: budget)
            let start = ContinuousClock.now
            for command in run {
                if ContinuousClock.now - start >= ObjectService.runTime { break }
                var reply = Result {
                    try rules.writer.attempt { try currentRules.rules(for: current).perform(command.get()) }
                }
                if case .failure(let error) = reply, error is CostlyCondition { break }
                reply = reply.limited(to: capacity)
                capacity -= reply.size
                replies.append(reply)
                current = current.after(try? reply.get())
            }
            return replies
        }
    }
}

extension Result where Success == ObjectCommand {
    /// Whether the command only reads; a malformed command changes nothing either and needs no transaction.
    fileprivate var isRead: Bool {
        (try? get().isRead) ?? false
    }
}

extension Result where Success == ObjectReply {
    /// The size of the objects in the reply, in bytes; an error counts as small.
    fileprivate var size: Int {
        (try? get().size) ?? 0
    }

    /// The reply, without the object's fields if no capacity is left: a log-in shows the user even if its command does
    /// not ask for it.
    fileprivate func limited(to capacity: Int) -> Self {
        capacity > 0 ? self : map(\.brief)
    }
}

extension Result where Failure == any Error {
    /// The result of an asynchronous step: its value or its error.
    fileprivate init(awaiting body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
