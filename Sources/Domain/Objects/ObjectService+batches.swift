extension ObjectService {
    /// Carries out commands in order, each for itself: one that fails leaves the others as they are (protocol/data
    /// 2.1).
    ///
    /// Changes that stand side by side share a transaction, and so one sync of the disk.
    ///
    /// - Parameters:
    ///   - commands: What to do, or why that cannot be said.
    ///   - batch: What the batch used up in calls before, if its commands come in several.
    ///   - caller: Who asks.
    /// - Returns: The outcome of each command, in order.
    /// - Throws: ``ServiceError/Code/badRequest`` if the batch sets too many passwords, and what a store throws.
    package func perform(
        _ commands: [Result<ObjectCommand, any Error>],
        in batch: inout ObjectBatch,
        as caller: Caller
    ) async throws -> [Result<ObjectReply, any Error>] {
        try batch.countPasswords(in: commands)
        var replies: [Result<ObjectReply, any Error>] = []
        var rest = commands[...]
        let budget = batch.budget ?? budget(batch.presence)
        batch.budget = budget
        // Ten queries' worth for what is read; the batch is in memory until all of it is answered.
        var capacity = batch.replyCapacity ?? settings.queries.replySize * 10
        defer { batch.replyCapacity = capacity }
        while let first = rest.first {
            let similar = rest.prefix { $0.isRead == first.isRead && !$0.hasSubqueries }.prefix(ObjectService.runLength)
            // A change whose condition has sub-queries goes alone, so that they see what was changed before.
            let run = similar.isEmpty ? rest.prefix(1) : similar
            rest = rest.dropFirst(run.count)
            if first.isRead {
                replies += try await readAll(Array(run), caller, budget, capacity: &capacity)
            } else {
                replies += try await writeAll(Array(run), caller, budget, capacity: &capacity)
            }
        }
        return replies
    }

    /// How many commands share a transaction, so that a long batch does not keep other writers out.
    private static let runLength = 100

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
        _ caller: Caller,
        _ budget: QueryBudget,
        capacity: inout Int
    ) async throws -> [Result<ObjectReply, any Error>] {
        var prepared: [Result<ObjectCommand, any Error>] = []
        for command in run {
            // A change happens in any case; what it would show is left out once the capacity is used.
            let isBrief = capacity <= 0
            prepared.append(
                await Result(awaiting: {
                    let command = try await self.prepared(command.get(), as: caller, within: budget)
                    return isBrief ? command.brief : command
                })
            )
        }
        var replies: [Result<ObjectReply, any Error>] = []
        var rest = prepared[...]
        while let first = rest.first {
            let done = try await writeTogether(Array(rest), caller)
            replies += done
            rest = rest.dropFirst(done.count)
            guard done.isEmpty else { continue }
            // Its condition takes longer than other changes may wait, so it goes alone.
            replies.append(await Result(awaiting: { try await change(first.get(), as: caller, within: budget) }))
            rest = rest.dropFirst()
        }
        for reply in replies { capacity -= reply.size }
        return replies
    }

    /// Carries out commands in one transaction, up to the first whose condition must be decided before it.
    private func writeTogether(
        _ run: [Result<ObjectCommand, any Error>],
        _ caller: Caller
    ) async throws -> [Result<ObjectReply, any Error>] {
        try await store.write(as: caller, by: settings) { rules in
            var replies: [Result<ObjectReply, any Error>] = []
            for command in run {
                let reply = Result { try rules.writer.attempt { try rules.perform(command.get()) } }
                if case .failure(let error) = reply, error is CostlyCondition { break }
                replies.append(reply)
            }
            return replies
        }
    }
}

extension Result where Success == ObjectCommand {
    /// A command that is malformed changes nothing either; it is answered with its neighbours and needs no transaction.
    fileprivate var isRead: Bool {
        (try? get().isRead) ?? false
    }

    fileprivate var hasSubqueries: Bool {
        (try? get().condition?.hasSubqueries) ?? false
    }
}

extension Result where Success == ObjectReply {
    /// The bytes that it takes in the answer; a refusal is small.
    fileprivate var size: Int {
        (try? get().text.count) ?? 0
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous step gives, or throws.
    fileprivate init(awaiting body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
