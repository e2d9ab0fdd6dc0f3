extension CQLStatement {
    /// Parses a statement (protocol/data 4.7).
    ///
    /// - Parameters:
    ///   - text: The statement, of at most 4096 bytes.
    ///   - values: The values of the placeholders, in order; further values are ignored.
    ///   - now: The value of `current_timestamp()`.
    /// - Throws: ``ServiceError/Code/cqlSyntax`` (300) with line and column.
    package init(parsing text: String, values: [JSONValue] = [], now: Timestamp) throws {
        var parser = try CQLParser(text, values: values, now: now)
        self = try parser.statement()
    }

    /// The commands that REST has for the statement: several only for an INSERT of several rows.
    ///
    /// They pass the same checks as those of REST, because names and values pass the same parsers.
    ///
    /// - Parameters:
    ///   - limits: The limits of conditions.
    ///   - engine: The engine of regular expressions.
    /// - Returns: The commands, in order.
    /// - Throws: The errors of names, values and conditions, as for REST.
    package func commands(limits: QueryLimits, engine: any PatternEngine) throws -> [ObjectCommand] {
        let name = try ClassName(className)
        func condition(_ condition: CQLCondition?) throws -> Condition? {
            guard let condition else { return nil }
            var parser = ConditionParser(limits: limits, engine: engine, knowsNegation: true)
            return try parser.parse(try condition.json)
        }
        switch self {
        case .select(let selection):
            let search = ObjectCommand.Search(
                where: try condition(selection.condition) ?? .always,
                order: try SortKey.list(selection.order),
                page: selection.showsObjects ? try Page(limit: selection.limit, skip: selection.skip) : Page(first: 0),
                counts: selection.counts
            )
            return [ObjectCommand(name, .find(search), view: selection.view)]
        case .insert(_, let rows):
            return try rows.map { row in
                ObjectCommand(name, .create(try CQLStatement.creation(of: row, in: name), returnsObject: false))
            }
        case .update(_, let id, let values, let others):
            let change = try ObjectChange(.object(values), allowsPaths: true)
            let others = try condition(others)
            return [
                ObjectCommand(name, .update(try CQLStatement.id(id), change, where: others, returnsObject: false))
            ]
        case .delete(_, let id, let others):
            return [ObjectCommand(name, .delete([try CQLStatement.id(id)], where: try condition(others)))]
        }
    }

    private static func creation(of row: [String: JSONValue], in name: ClassName) throws -> ObjectChange {
        guard name == .file else { return try ObjectChange(.object(row), allowsPaths: false) }
        guard row["fetch"] != .bool(true) else {
            throw ServiceError(.badRequest, "fetch is not allowed in CQL; send a request for files.")
        }
        return try ObjectChange(file: .object(row))
    }

    /// A string that is no id is the id of no object.
    private static func id(_ text: String) throws -> ObjectID {
        guard let id = ObjectID(text) else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return id
    }
}

extension CQLSelection {
    /// The `keys` of REST: the selected fields, and the included ones; empty means all.
    package var keys: String {
        columns.isEmpty ? "" : (columns + includes).joined(separator: ",")
    }

    fileprivate var view: ObjectView {
        ObjectView(include: includes.joined(separator: ","), keys: keys, returnsACL: false)
    }
}
