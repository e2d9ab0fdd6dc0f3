/// The users to whom a status is delivered: those whom a query finds, or to whom a field of its objects points.
package struct StatusTarget: Sendable {
    /// The class of the query.
    let className: ClassName
    /// Its `where`, as the client sent it: the queue parses it again.
    let condition: JSONValue
    /// The field with the pointer to the user; `nil` if the objects are the users themselves.
    let key: String?

    /// Parses `{"className":"_Follower","keys":"follower","where":{…}}`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` and ``ServiceError/Code/invalidClassName``.
    init(_ json: JSONValue?) throws {
        guard let members = json?.objectValue else {
            throw ServiceError(.badRequest, "query must be an object with className, where and keys.")
        }
        className = try ClassName(members["className"]?.stringValue ?? "")
        var condition = members["where"] ?? .null
        if case .string(let text) = condition {
            condition =
                text.isEmpty
                ? .null : try JSONValue(parsing: Array(text.utf8), field: "where", values: JSONValue.maxValues)
        }
        self.condition = condition
        let keys = members["keys"]?.stringValue ?? members["keys"]?.arrayValue?.first?.stringValue ?? ""
        let first = keys.split(separator: ",").first.map { $0.filter { $0 != " " } }
        key = className == .user ? nil : first
        guard className == .user || key.map(FieldPath.isFieldName) == true else {
            throw ServiceError(
                .badRequest,
                "query.keys must name the field that points to the users: statuses are delivered to users only."
            )
        }
    }

    /// The form in which the queue stores the target.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            // As text: names in conditions begin with `$`, which stored values do not allow.
            "className": .string(className.description),
            "where": .string(condition == .null ? "" : String(decoding: condition.encoded(), as: UTF8.self)),
        ]
        members["keys"] = key.map(JSONValue.string)
        return .object(members)
    }
}

/// Users to whom a status is delivered in one step.
struct Recipients: Sendable {
    let users: [ObjectID]
    /// The last object that was read; `nil` if there are no others.
    let cursor: ObjectID?
}

extension ObjectReadRules {
    /// The next users of a target, in the order of the ids of the objects that name them.
    ///
    /// The caller needs the right to query the class, except for users that the condition names by their ids.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - cursor: The last object of the page before; `nil` for the first page.
    ///   - engine: Parses regular expressions.
    /// - Returns: The users; a user can be in several pages.
    /// - Throws: Errors of queries.
    func recipients(
        of target: StatusTarget,
        after cursor: ObjectID?,
        engine: any PatternEngine
    ) throws -> Recipients {
        let schema = try requireSchema(of: target.className)
        let resolver = ConditionResolver(reader: reader, access: access)
        if let key = target.key, resolver.hides(FieldPath(field: key), in: schema) {
            throw ServiceError(.forbidden, "The field of query.keys is hidden.")
        }
        var parser = ConditionParser(limits: settings.queries, engine: engine)
        let parsed = try parser.parse(target.condition)
        guard parsed.circle == nil else {
            throw ServiceError(.badRequest, "The where of a status's query cannot sort by distance.")
        }
        let condition = try resolver.resolve(parsed, in: schema)
        var query =
            schema.name == .user && parsed.namesObjects
            ? ObjectQuery(.user, where: condition, readableBy: access.readers)
            : try access.query(condition, in: schema)
        let id = FieldPath(field: "objectId")
        if let cursor {
            query.condition = .all([query.condition, .field(id, .compares(.greater, .string(cursor.description)))])
        }
        query.order = [SortKey(id)]
        query.page = Page(first: PeopleJob.stepSize)
        query.replySize = Recipients.pageSize
        let rows = try reader.rows(query)
        let users = try rows.compactMap { row in
            guard let key = target.key else { return row.id }
            let pointer = try row.object().fields[key].flatMap(Pointer.init(stored:))
            return pointer?.className == .user ? pointer?.id : nil
        }
        // One more object would have fitted, however large.
        let isLast = rows.count < PeopleJob.stepSize && rows.reduce(0) { $0 + $1.size } < Recipients.pageSize / 2
        return Recipients(users: users, cursor: isLast ? nil : rows.last?.id)
    }
}

extension Recipients {
    /// The maximum size of the objects of a page in bytes: twice that of the largest object.
    fileprivate static let pageSize = 40 << 20
}

extension Condition {
    /// Whether the condition holds only for objects whose ids it contains.
    fileprivate var namesObjects: Bool {
        switch self {
        case .all(let conditions): conditions.contains(where: \.namesObjects)
        case .field(let path, .equals), .field(let path, .isIn): path == FieldPath(field: "objectId")
        default: false
        }
    }
}
