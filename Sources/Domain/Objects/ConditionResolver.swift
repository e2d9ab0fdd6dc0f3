/// Replaces the parts of a condition that need other queries or the caller's rights.
///
/// Sub-queries become their results; a pointer that is compared with a relation becomes a test for membership in it.
/// For a caller that is not allowed to see a field, no object has the field.
struct ConditionResolver {
    let reader: any ReadTransaction
    let access: ObjectAccess
    private let budget: QueryBudget?
    private let observe: ((ObjectQuery) throws -> Void)?
    private let relationTests = RelationTests()
    /// The results of all sub-queries.
    let memory = SubqueryMemory()

    /// - Parameters:
    ///   - reader: Evaluates sub-queries.
    ///   - access: The caller's rights.
    ///   - budget: The time limit; `nil` takes the reader's budget.
    ///   - observe: Is called with each sub-query before it runs.
    init(
        reader: any ReadTransaction,
        access: ObjectAccess,
        budget: QueryBudget? = nil,
        observe: ((ObjectQuery) throws -> Void)? = nil
    ) {
        self.reader = reader
        self.access = access
        self.budget = budget ?? reader.budget
        self.observe = observe
    }

    /// The resolved condition for objects of a class; a class that does not exist has no fields.
    func resolve(_ condition: Condition, in schema: ClassSchema?) throws -> Condition {
        try budget?.check()
        return switch condition {
        case .all(let conditions): .all(try conditions.map { try resolve($0, in: schema) })
        case .any(let conditions): .any(try conditions.map { try resolve($0, in: schema) })
        case .not(let condition): .not(try resolve(condition, in: schema))
        case .field(let path, let test): try resolve(test, at: path, in: schema)
        case .member(let owner, let key): try canFollow(key, of: owner) ? condition : .any([])
        case .relates: condition
        }
    }

    private func resolve(_ test: Condition.Test, at path: FieldPath, in schema: ClassSchema?) throws -> Condition {
        if hides(path, in: schema) { return try holdsWhereMissing(test) ? .always : .any([]) }
        switch test {
        case .not(let inner):
            return .not(try resolve(inner, at: path, in: schema))
        case .inQuery(let query):
            var pointers = ValueSet()
            for row in try rows(of: query, reading: .ids) {
                try insert(Pointer(query.className, row.id).json, into: &pointers)
            }
            return try resolve(.isIn(pointers), at: path, in: schema)
        case .select(let query, let key):
            let selected = try reader.visibleSchema(of: query.className)
            // An object can have members that are not fields of its class: the internal members of a file.
            let isShown =
                switch selected?.type(of: key.field) {
                // An object can have stored null before the field became a relation; a query does not read it.
                case nil, .relation?: false
                default: !hides(key, in: selected)
                }
            // A class that the caller is not allowed to query is refused even for a field that is not shown.
            if !isShown, let selected { _ = try access.query(.always, in: selected) }
            let values = isShown ? try self.values(of: query, at: key) : ValueSet()
            return try resolve(.isIn(values), at: path, in: schema)
        case .equals(let value):
            return target(of: path, schema).map { relates(path, $0, [value]) } ?? .field(path, test)
        case .isIn(let values):
            return target(of: path, schema).map { relates(path, $0, values.values) } ?? .field(path, test)
        case .containsAll(let wanted):
            // An empty list holds for no object, as for other fields.
            guard let target = target(of: path, schema), !wanted.values.isEmpty else { return .field(path, test) }
            try relationTests.add(wanted.values.count)
            return .all(wanted.values.map { relates(path, target, [$0]) })
        default:
            // An object can have stored null before the field became a relation; a query does not read it.
            guard case .relation? = schema?.type(of: path.field) else { return .field(path, test) }
            return try holdsWhereMissing(test) ? .always : .any([])
        }
    }

    /// The result of a test for a field that is missing in all objects; a sub-query then has no equal value.
    private func holdsWhereMissing(_ test: Condition.Test) throws -> Bool {
        switch test {
        case .not(let inner): try !holdsWhereMissing(inner)
        case .inQuery, .select: false
        default: try test.holds(nil, along: [])
        }
    }

    /// The values that the objects of a sub-query have at a path.
    ///
    /// Only one object is parsed at a time, and equal values of several objects are kept once.
    private func values(of query: Condition.Subquery, at key: FieldPath) throws -> ValueSet {
        var values = ValueSet()
        for row in try rows(of: query, reading: .value(of: key.field)) {
            try budget?.check()
            let found = try PathValues(of: row.object().value(of: key.field), along: key.inner, within: budget)
            for value in found.values { try insert(value, into: &values) }
        }
        return values
    }

    private func insert(_ value: JSONValue, into values: inout ValueSet) throws {
        if values.insert(value) { try memory.add(value) }
    }

    /// The objects that a sub-query finds, with what the condition compares.
    ///
    /// Throws ``ServiceError/Code/malformedJSON`` if their text exceeds ``SubqueryMemory/limit``: the values of some of
    /// the objects would give a wrong answer.
    private func rows(of query: Condition.Subquery, reading projection: RowProjection) throws -> [ObjectRow] {
        guard let schema = try reader.visibleSchema(of: query.className) else { return [] }
        var question = try access.query(try resolve(query.condition, in: schema), in: schema)
        guard query.page.limit > 0 else { return [] }
        question.order = visible(query.order, in: schema)
        question.page = query.page
        // The store leaves no object out before those that it returns exceed the limit.
        question.replySize = SubqueryMemory.limit + ObjectLimits.maxObjectSize
        question.projection = projection
        try observe?(question)
        let rows = try reader.rows(question)
        guard rows.reduce(0, { $0 + $1.size }) <= SubqueryMemory.limit else { throw SubqueryMemory.refusal }
        return rows
    }

    /// The sort keys that the caller is allowed to see.
    func visible(_ order: [SortKey], in schema: ClassSchema?) -> [SortKey] {
        order.filter { !hides($0.path, in: schema) }
    }

    /// Whether a field is hidden from the caller.
    func hides(_ path: FieldPath, in schema: ClassSchema?) -> Bool {
        access.hides(path.field, in: schema)
    }

    /// Whether the caller is allowed to read the members of a relation: every caller who is allowed to read the object.
    private func canFollow(_ key: String, of owner: Pointer) throws -> Bool {
        guard let schema = try reader.visibleSchema(of: owner.className), !access.hides(key, in: schema),
            let row = try reader.row(owner.id, in: owner.className)
        else { return false }
        return access.canRead(row, in: schema)
    }

    /// The target class of a relation; `nil` for other fields.
    private func target(of path: FieldPath, _ schema: ClassSchema?) -> ClassName? {
        guard !path.isNested, case .relation(let target)? = schema?.type(of: path.field) else { return nil }
        return target
    }

    /// The condition that a relation has one of these values.
    private func relates(_ path: FieldPath, _ target: ClassName, _ values: [JSONValue]) -> Condition {
        let pointers = values.compactMap(Pointer.init(stored:)).filter { $0.className == target }
        let related = Condition.relates(key: path.field, to: pointers.map(\.id))
        // No object stores a value in a relation's field, so null is equal to it, as `$exists` is false.
        return values.contains(.null) ? .any([related, .field(path, .equals(.null))]) : related
    }
}

/// Counts the tests of relations that come of `$all`: each is a sub-query of the database, which bounds their number.
private final class RelationTests {
    private var count = 0

    private static let limit = 100

    /// Throws ``ServiceError/Code/malformedJSON`` if a condition has more of them than the limit.
    func add(_ number: Int) throws {
        count += number
        guard count <= RelationTests.limit else {
            throw ServiceError(
                .malformedJSON,
                "where: $all compares relations with more than \(RelationTests.limit) values, the limit."
            )
        }
    }
}
