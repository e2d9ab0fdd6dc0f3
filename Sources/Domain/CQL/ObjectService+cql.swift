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
            return try CQLReply(className: className, content: reply.cqlContent)
        }
        var batch = ObjectBatch(presence: presence)
        let replies = try await perform(commands.map { .success($0) }, in: &batch, as: caller)
        return CQLReply(className: className, content: .changes(try replies.map { try $0.get().members }))
    }
}

extension ObjectReply {
    fileprivate var cqlContent: CQLReply.Content {
        get throws {
            if case .listing(let listing) = content { return .listing(listing) }
            let members = try members
            return .changes(members.isEmpty ? [] : [members])
        }
    }
}
