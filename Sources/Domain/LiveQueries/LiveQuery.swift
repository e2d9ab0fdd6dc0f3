/// A live query of a subscribe request, with its condition checked (protocol/data 8.1).
struct LiveQuery: Sendable {
    /// The class.
    let className: ClassName
    /// The condition, without sub-queries and `$relatedTo`.
    let condition: Condition
    /// The condition as canonical JSON text: equal texts have equal conditions.
    let conditionText: [UInt8]
    /// Whether events show the ACL.
    let returnsACL: Bool
    /// The parts that decide the events, for ``LiveQueryID``.
    let json: JSONValue

    /// Parses `query` of a subscribe request.
    ///
    /// `limit`, `skip`, `order`, `include` and `keys` are ignored: every object that matches counts, and events show
    /// whole objects.
    ///
    /// - Throws: ``ServiceError`` naming the field or the limit.
    init(_ json: JSONValue?, limits: LiveQueryLimits, queries: QueryLimits, engine: any PatternEngine) throws {
        guard let members = json?.objectValue else {
            throw ServiceError(.badRequest, "query must be a JSON object with className and where.")
        }
        guard let name = members["className"]?.stringValue else {
            throw ServiceError(.invalidClassName, "query.className must be a string.")
        }
        className = try ClassName(name)
        returnsACL = try LiveQuery.flag(members["returnACL"])
        let condition = try LiveQuery.condition(members["where"], limits)
        conditionText = condition.encoded()
        try LiveQuery.requireSize(conditionText.count, limits)
        let patterns = BoundedPatterns(engine, limit: limits.patternMemory, setting: "liveQueries.patternMemory")
        var parser = ConditionParser(limits: queries, engine: patterns)
        self.condition = try parser.parse(condition)
        guard !self.condition.hasSubqueries, !self.condition.hasMember else {
            throw ServiceError(
                .badRequest,
                "query.where must not contain $inQuery, $notInQuery, $select, $dontSelect or $relatedTo: in a live "
                    + "query, their results could change without a change of the object."
            )
        }
        self.json = .object([
            "className": .string(name), "where": condition, "returnACL": .bool(returnsACL),
        ])
    }

    /// The JSON of `where`: an object, its text as the Java SDK sends it, or null.
    private static func condition(_ json: JSONValue?, _ limits: LiveQueryLimits) throws -> JSONValue {
        switch json {
        case nil, .null, .string(""):
            return .object([:])
        case .object:
            return json ?? .null
        case .string(let text):
            try requireSize(text.utf8.count, limits)
            let value = try JSONValue(parsing: Array(text.utf8), field: "query.where", values: JSONValue.maxValues)
            if case .null = value { return .object([:]) }
            if case .object = value { return value }
        default:
            break
        }
        throw ServiceError(.malformedJSON, "query.where must be a JSON object, or a string that contains one.")
    }

    private static func requireSize(_ size: Int, _ limits: LiveQueryLimits) throws {
        guard size <= limits.conditionSize else {
            throw ServiceError(
                .badRequest,
                "query.where has \(size) bytes; the limit is \(limits.conditionSize) (liveQueries.conditionSize)."
            )
        }
    }

    private static func flag(_ json: JSONValue?) throws -> Bool {
        switch json {
        case nil, .null, .bool(false), .integer(0), .string("false"), .string("0"), .string(""): false
        case .bool(true), .integer(1), .string("true"), .string("1"): true
        default: throw ServiceError(.badRequest, "query.returnACL must be true or false.")
        }
    }
}

extension Condition {
    /// Whether the condition contains `$relatedTo` at any depth.
    fileprivate var hasMember: Bool {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.hasMember)
        case .not(let condition): condition.hasMember
        case .member: true
        case .field, .relates: false
        }
    }
}

extension InstallationID {
    /// The installation of a request's `id`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest``.
    init(of body: [String: JSONValue]) throws {
        guard let id = body["id"]?.stringValue.flatMap({ InstallationID($0) }) else {
            throw ServiceError(
                .badRequest,
                "id must be a string of 1 to \(InstallationID.maxLength) bytes without control characters."
            )
        }
        self = id
    }
}
