/// A live query of a subscribe request, with its condition checked (protocol/data 8.1).
struct LiveQuery: Sendable {
    /// The class.
    let className: ClassName
    /// The condition, without sub-queries and `$relatedTo`.
    let condition: Condition
    /// The condition as canonical JSON text: equal texts have equal conditions.
    let conditionText: [UInt8]
    /// An estimate of the memory of the condition in bytes: its compiled regular expressions, and ten times its JSON.
    let size: Int
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
        size = LiveQuery.fixedSize + LiveQuery.sizeOfByte * conditionText.count + patterns.size
        self.json = .object([
            "className": .string(name), "where": condition, "returnACL": .bool(returnsACL),
        ])
    }

    /// The memory of the shortest condition in bytes.
    private static let fixedSize = 1024
    /// The memory of one byte of the condition's JSON, as values, tests and terms of the index.
    private static let sizeOfByte = 10

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
    /// The condition for the objects of a class as a caller sees them, which a change of the object alone decides.
    ///
    /// The members of a relation are not part of the object, and a change says nothing about those before it.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if it compares a relation; errors of the budget and of the reader.
    func resolvedForEvents(
        in schema: ClassSchema?,
        for caller: Caller,
        _ reader: any ReadTransaction,
        within budget: QueryBudget? = nil
    ) throws -> Condition {
        let resolver = ConditionResolver(reader: reader, access: ObjectAccess(caller: caller), budget: budget)
        let resolved = try resolver.resolve(self, in: schema)
        if let key = resolved.relation {
            throw ServiceError(
                .badRequest,
                "query.where must not compare the relation '\(key)': in a live query, the members before a change are "
                    + "not known. Use an array of pointers."
            )
        }
        return resolved
    }

    /// The first relation with which the condition compares objects; `nil` if there is none.
    private var relation: String? {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.lazy.compactMap(\.relation).first
        case .not(let condition): condition.relation
        case .relates(let key, _): key
        case .field, .member: nil
        }
    }

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
