/// The reply to a CQL statement (protocol/data 4.7).
package struct CQLReply: Sendable {
    /// The class of the statement.
    package let className: ClassName
    /// The result.
    package let content: Content

    /// The kinds of results.
    package enum Content: Sendable {
        /// The objects that a SELECT has found, and their number.
        case listing(ObjectListing)
        /// For each created or updated object its id and the time; nothing after a deletion.
        case changes([[String: JSONValue]])
    }

    /// Creates the reply from those of the statement's commands.
    ///
    /// - Parameters:
    ///   - className: The class of the statement.
    ///   - replies: The replies of all commands of ``CQLStatement/commands(limits:engine:)``, in order.
    /// - Throws: Errors of stored objects that cannot be parsed.
    package init(className: ClassName, _ replies: [ObjectReply]) throws {
        self.className = className
        if case .listing(let listing)? = replies.first?.content {
            content = .listing(listing)
        } else {
            content = .changes(try replies.map { try $0.members }.filter { !$0.isEmpty })
        }
    }
}

extension ObjectService {
    /// Performs the statement of a caller.
    ///
    /// The rows of an INSERT are created in order and independently: the rows before one that fails stay.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - engine: The engine of regular expressions.
    ///   - caller: The caller.
    ///   - presence: Cancels slow queries when the client disconnects; without it they run to their end.
    /// - Returns: The reply.
    /// - Throws: The errors of the commands, as for REST; the first error of an INSERT.
    package func perform(
        _ statement: CQLStatement,
        engine: any PatternEngine,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> CQLReply {
        let className = try ClassName(statement.className)
        let commands = try statement.commands(limits: settings.queries, engine: engine)
        if let command = commands.first, commands.count == 1 {
            let reply = try await perform(command, as: caller, presence: presence)
            return try CQLReply(className: className, [reply])
        }
        var batch = ObjectBatch(presence: presence)
        let replies = try await perform(commands.map { .success($0) }, in: &batch, as: caller)
        return try CQLReply(className: className, try replies.map { try $0.get() })
    }
}
