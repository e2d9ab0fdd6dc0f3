/// Parses the JSON of a `where` to a checked tree; errors name the path (protocol/data 4.1).
package struct ConditionParser {
    private let limits: QueryLimits
    private let engine: any PatternEngine
    private let knowsNegation: Bool
    private var conditions = 0
    private var subqueries = 0
    private var listed = 0
    /// Compiles the expressions; `nil` before the first one.
    private var patterns: BoundedPatterns?

    /// Creates a parser for one `where`; it counts the parts that the limits bound.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - engine: The engine of regular expressions.
    ///   - knowsNegation: Whether `$notRegex` is an operator: CQL has it, REST does not.
    package init(limits: QueryLimits, engine: any PatternEngine, knowsNegation: Bool = false) {
        self.limits = limits
        self.engine = engine
        self.knowsNegation = knowsNegation
    }

    /// Parses the whole `where`: an object, an array of objects (all must hold), or `nil`.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the path and the limit, or the defect of a value.
    package mutating func parse(_ json: JSONValue?) throws -> Condition {
        guard let json, json != .null else { return .always }
        let condition = try condition(json, "where", depth: 0)
        guard condition.circles <= (condition.circle == nil ? 0 : 1) else {
            throw refusal("where", "can have one $nearSphere or $near, and not inside $or")
        }
        return condition
    }

    private mutating func condition(_ json: JSONValue, _ path: String, depth: Int) throws -> Condition {
        guard depth <= limits.depth else {
            throw refusal(path, "is nested deeper than \(limits.depth), the limit (queries.maxDepth)")
        }
        switch json {
        case .array(let list):
            return .all(try self.list(list, path, depth))
        case .object(let members):
            // In a fixed order, so that the same `where` gives the same statement.
            let parts = try members.sorted { $0.key < $1.key }
                .map { try part($0.key, $0.value, "\(path).\($0.key.prefix(64))", depth) }
            return parts.count == 1 ? parts[0] : .all(parts)
        default:
            throw refusal(path, "must be a JSON object")
        }
    }

    private mutating func list(_ list: [JSONValue], _ path: String, _ depth: Int) throws -> [Condition] {
        var conditions: [Condition] = []
        for (index, json) in list.enumerated() {
            let path = "\(path)[\(index)]"
            // C# and Flutter write a query without conditions as null.
            let json = json == .null ? .object([:]) : json
            // A value that contains conditions is counted through them.
            if json == .object([:]) || json == .array([]) { try count(path) }
            conditions.append(try condition(json, path, depth: depth + 1))
        }
        return conditions
    }

    private mutating func part(_ name: String, _ json: JSONValue, _ path: String, _ depth: Int) throws -> Condition {
        try count(path)
        switch name {
        case "$and", "$or":
            guard let list = json.arrayValue, !list.isEmpty else {
                throw refusal(path, "must be an array of conditions")
            }
            let parts = try self.list(list, path, depth)
            return name == "$and" ? .all(parts) : .any(parts)
        case "$relatedTo":
            guard let members = json.objectValue, let object = members["object"]?.objectValue,
                let key = members["key"]?.stringValue, FieldPath.isFieldName(key)
            else { throw refusal(path, "must be {\"object\":<Pointer>,\"key\":<relation>}") }
            return .member(of: try Pointer(object), key: key)
        default:
            guard !name.hasPrefix("$") else { throw refusal(path, "is not a known operator") }
            return try field(try FieldPath(name), json, path, depth)
        }
    }

    private mutating func field(
        _ field: FieldPath,
        _ json: JSONValue,
        _ path: String,
        _ depth: Int
    ) throws -> Condition {
        guard case .object(let members) = json, members.keys.contains(where: { $0.hasPrefix("$") }) else {
            return .field(field, .equals(try json.normalized(field: path)))
        }
        var tests: [Condition] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !ConditionParser.companions.contains(name) {
            if !tests.isEmpty { try count(path) }
            let test = try test(name, value, beside: members, "\(path).\(name.prefix(64))", depth)
            tests.append(.field(field, test))
        }
        guard !tests.isEmpty else { throw refusal(path, "has an option without its operator") }
        return tests.count == 1 ? tests[0] : .all(tests)
    }

    /// Members that belong to another operator of the same object.
    private static let companions: Set<String> = [
        "$options", "$maxDistance", "$maxDistanceInRadians", "$maxDistanceInKilometers", "$maxDistanceInMiles",
        "$minDistance", "$minDistanceInRadians", "$minDistanceInKilometers", "$minDistanceInMiles",
    ]

    private mutating func test(
        _ name: String,
        _ value: JSONValue,
        beside members: [String: JSONValue],
        _ path: String,
        _ depth: Int
    ) throws -> Condition.Test {
        switch name {
        case "$ne": return .not(.equals(try value.normalized(field: path)))
        case "$lt": return .compares(.less, try value.normalized(field: path))
        case "$lte": return .compares(.lessOrEqual, try value.normalized(field: path))
        case "$gt": return .compares(.greater, try value.normalized(field: path))
        case "$gte": return .compares(.greaterOrEqual, try value.normalized(field: path))
        case "$in": return .isIn(ValueSet(try values(value, path)))
        case "$nin": return .not(.isIn(ValueSet(try values(value, path))))
        case "$all": return .containsAll(ValueSet(try values(value, path)))
        case "$exists": return .exists(try flag(value, path))
        case "$size":
            guard let size = value.integerValue, (0...Int64(Int32.max)).contains(size) else {
                throw refusal(path, "must be a whole number of 0 or more")
            }
            return .size(Int(size))
        case "$regex": return .matches(try pattern(value, options: members["$options"], path))
        case "$notRegex" where knowsNegation:
            return .not(.matches(try pattern(value, options: members["$options"], path)))
        case "$nearSphere", "$near": return .near(try circle(value, members, path))
        case "$within", "$geoWithin": return .within(try box(value, path))
        case "$inQuery": return .inQuery(try subquery(value, path, depth))
        case "$notInQuery": return .not(.inQuery(try subquery(value, path, depth)))
        case "$select": return try selection(value, path, depth)
        case "$dontSelect": return .not(try selection(value, path, depth))
        default: throw refusal(path, "is not a known operator")
        }
    }

    private mutating func values(_ json: JSONValue, _ path: String) throws -> [JSONValue] {
        guard let list = json.arrayValue else { throw refusal(path, "must be an array") }
        guard list.count <= limits.listLength else {
            throw refusal(
                path,
                "has \(list.count) values; the limit is \(limits.listLength) (queries.maxListLength)"
            )
        }
        listed += list.count
        guard listed <= limits.values else {
            throw refusal(
                path,
                "brings the values of all lists to \(listed); the limit is \(limits.values) (queries.maxValues)"
            )
        }
        return try list.map { try $0.normalized(field: path) }
    }

    private func flag(_ json: JSONValue, _ path: String) throws -> Bool {
        switch json {
        case .bool(let flag): return flag
        case .integer(0): return false
        case .integer(1): return true
        default: throw refusal(path, "must be true or false")
        }
    }

    private mutating func pattern(_ json: JSONValue, options: JSONValue?, _ path: String) throws -> Pattern {
        guard let text = json.stringValue, let options = (options ?? .string("")).stringValue else {
            throw refusal(path, "and its $options must be strings")
        }
        guard text.utf8.count <= limits.patternLength else {
            throw refusal(
                path,
                "has \(text.utf8.count) bytes; the limit is \(limits.patternLength) (queries.maxPatternLength)"
            )
        }
        let patterns = patterns ?? BoundedPatterns(engine, limits)
        self.patterns = patterns
        return try Pattern(text, options: options, path: path, engine: patterns)
    }

    private mutating func subquery(_ json: JSONValue, _ path: String, _ depth: Int) throws -> Condition.Subquery {
        subqueries += 1
        guard subqueries <= limits.subqueries else {
            throw refusal(
                path,
                "exceeds the number of sub-queries; the limit is \(limits.subqueries) (queries.maxSubqueries)"
            )
        }
        guard let members = json.objectValue, let className = members["className"]?.stringValue else {
            throw refusal(path, "must be an object with className and where")
        }
        let inner = members["where"].flatMap { $0 == .null ? nil : $0 } ?? .object([:])
        let condition = try condition(inner, "\(path).where", depth: depth + 1)
        guard condition.circles == 0 else { throw refusal(path, "must not have $nearSphere or $near") }
        return Condition.Subquery(
            className: try ClassName(className),
            condition: condition,
            order: try SortKey.list(members["order"]?.stringValue ?? ""),
            page: try Page(
                limit: try number(members["limit"], "\(path).limit"),
                skip: try number(members["skip"], "\(path).skip")
            )
        )
    }

    private mutating func selection(_ json: JSONValue, _ path: String, _ depth: Int) throws -> Condition.Test {
        guard let members = json.objectValue, let query = members["query"], let key = members["key"]?.stringValue else {
            throw refusal(path, "must be {\"query\":{…},\"key\":<field>}")
        }
        return .select(try subquery(query, "\(path).query", depth), try FieldPath(key))
    }

    private func number(_ json: JSONValue?, _ path: String) throws -> Int? {
        guard let json, json != .null else { return nil }
        guard let number = json.integerValue ?? json.stringValue.flatMap({ Int64($0) }) else {
            throw refusal(path, "must be a whole number")
        }
        return Int(number)
    }

    private mutating func count(_ path: String) throws {
        conditions += 1
        guard conditions <= limits.conditions else {
            throw refusal(
                path,
                "exceeds the number of conditions; the limit is \(limits.conditions) (queries.maxConditions)"
            )
        }
    }

    func refusal(_ path: String, _ what: String) -> ServiceError {
        ServiceError(.malformedJSON, "\(path) \(what).")
    }
}

extension Condition {
    /// The number of circles in the tree.
    fileprivate var circles: Int {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.reduce(0) { $0 + $1.circles }
        case .field(_, .near): 1
        default: 0
        }
    }
}
