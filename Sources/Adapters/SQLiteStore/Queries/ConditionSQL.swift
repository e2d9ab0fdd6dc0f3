internal import Domain
internal import GRDB

/// Writes a condition as SQL over a class's table; docs/queries.md explains the forms.
///
/// A field's type is known, so most tests become a plain comparison that an index can answer. What SQL cannot say,
/// above all paths inside fields, becomes a call of the same test in Domain.
struct ConditionSQL {
    let catalog: Catalog
    let entry: Catalog.Entry
    let functions: QueryFunctions
    private let budget: QueryBudget?
    /// The tests that were registered; whoever runs the statement releases them.
    private(set) var registered: [Int64] = []
    /// How many tests have SQLite read the body, and how many of them open an array or hand a field to Domain.
    private var bodyTests = 0
    private var fieldCalls = 0

    /// How many tests of a statement have SQLite read the body; Domain reads it for all others.
    ///
    /// SQLite gives each call of a function with a constant argument registers of its own, so until it ends a statement
    /// keeps a copy of the body for each test.
    private static let maxBodyTests = 64
    /// How many of them open an array or hand a field to Domain: such a test keeps several copies of the field.
    private static let maxFieldCalls = 8

    init(catalog: Catalog, entry: Catalog.Entry, functions: QueryFunctions, budget: QueryBudget? = nil) {
        self.catalog = catalog
        self.entry = entry
        self.functions = functions
        self.budget = budget
    }

    /// What is read of each row.
    static let columns = "id, created_at, updated_at, acl, body"

    /// The statement that finds objects.
    mutating func find(_ query: ObjectQuery, selecting columns: String = ConditionSQL.columns) throws -> SQL {
        """
        SELECT \(sql: columns) FROM \(sql: ClassTable(number: entry.number).name) \
        WHERE \(sql(query)) ORDER BY \(try OrderSQL.sql(query, in: entry.schema)) \
        LIMIT \(query.page.limit) OFFSET \(query.page.skip)
        """
    }

    /// The statement that counts them.
    mutating func count(_ query: ObjectQuery) -> SQL {
        "SELECT count(*) FROM \(sql: ClassTable(number: entry.number).name) WHERE \(sql(query))"
    }

    /// What must hold for a row: that the readers may see it, after what may have an index.
    private mutating func sql(_ query: ObjectQuery) -> SQL {
        let condition = sql(query.condition)
        guard case .subjects(let subjects) = query.readers else { return condition }
        let readable = functions.readable(by: subjects)
        registered.append(readable.number)
        return "\(condition) AND \(readable.sql)"
    }

    private mutating func sql(_ condition: Condition) -> SQL {
        switch condition {
        case .all(let conditions): return joined(conditions.map { sql($0) }[...], by: " AND ", empty: "1")
        case .any(let conditions):
            return joined(ConditionSQL.merged(conditions).map { sql($0) }[...], by: " OR ", empty: "0")
        // What is unknown in SQL is false in a condition.
        case .not(let condition): return "(\(sql(condition)) IS NOT TRUE)"
        case .field(let path, let test): return sql(test, at: path)
        case .member(let owner, let key):
            guard let number = catalog.entries[owner.className]?.number else { return "0" }
            return """
                (id IN (SELECT member FROM relation WHERE class = \(number) AND key = \(key) \
                AND owner = \(owner.id.description)))
                """
        case .relates(let key, let members):
            return """
                (id IN (SELECT owner FROM relation WHERE class = \(entry.number) AND key = \(key) \
                AND member IN \(list(members.map { .string($0.description) }))))
                """
        }
    }

    /// Of many alternatives, those that ask one path for one value become one test for one of several values.
    private static func merged(_ alternatives: [Condition]) -> [Condition] {
        guard alternatives.count > maxBodyTests else { return alternatives }
        var values: [FieldPath: [JSONValue]] = [:]
        let others = alternatives.filter { alternative in
            guard case .field(let path, .equals(let value)) = alternative else { return true }
            values[path, default: []].append(value)
            return false
        }
        return values.map { .field($0, .isIn(ValueSet($1))) } + others
    }

    /// Joins terms as a balanced tree: SQLite bounds the depth of an expression, not its length.
    private func joined(_ terms: ArraySlice<SQL>, by word: String, empty: SQL) -> SQL {
        guard terms.count > 1 else { return terms.first ?? empty }
        let half = terms.startIndex + terms.count / 2
        let left = joined(terms[..<half], by: word, empty: empty)
        let right = joined(terms[half...], by: word, empty: empty)
        return "(\(left)\(sql: word)\(right))"
    }

    private mutating func sql(_ test: Condition.Test, at path: FieldPath) -> SQL {
        if case .not(let inner) = test { return "(\(sql(inner, at: path)) IS NOT TRUE)" }
        if case .containsAll(let list) = test, 1...ConditionSQL.maxFieldCalls ~= list.values.count {
            return joined(list.values.map { sql(.equals($0), at: path) }[...], by: " AND ", empty: "0")
        }
        guard SQLPath.column(path) != nil || readsBody() else { return callWithBody(test, at: path) }
        guard let type = entry.schema.type(of: path.field) else {
            // No object has a value there, but some may have null.
            return (path.isNested ? nil : exists(test, path)) ?? constant(test, at: path)
        }
        let form: SQL?
        switch type {
        case .relation: form = constant(test, at: path)
        case _ where path.isNested: form = isIndexed(path) ? indexed(test, path) : nil
        case .array where test.opensArray: form = callsWithField() ? ofArray(test, path) : nil
        case .array: form = ofArray(test, path)
        case .geoPoint: form = ofPoint(test, path)
        case .object, .any: form = exists(test, path)
        default: form = ofScalar(test, path, type)
        }
        return form ?? call(test, at: path)
    }

    /// What the test says of a field without a value.
    private func constant(_ test: Condition.Test, at path: FieldPath) -> SQL {
        (try? test.holds(nil, along: path.inner)) == true ? "1" : "0"
    }

    /// Has Domain decide.
    private mutating func call(_ test: Condition.Test, at path: FieldPath) -> SQL {
        guard callsWithField() else { return callWithBody(test, at: path) }
        return "lcfile_test(\(register(test, at: path)), \(sql: SQLPath.json(path.field)))"
    }

    /// Has Domain decide and read the body.
    ///
    /// No argument is constant, so that all such calls share their registers.
    private mutating func callWithBody(_ test: Condition.Test, at path: FieldPath) -> SQL {
        "lcfile_body(\(register(test, at: path)) + 0 * number, body)"
    }

    mutating func register(_ test: Condition.Test, at path: FieldPath) -> Int64 {
        let number = functions.register(test, at: path, within: budget)
        registered.append(number)
        return number
    }

    /// Counts a test for which SQLite would read the body; whether it still may.
    private mutating func readsBody() -> Bool {
        bodyTests += 1
        return bodyTests <= ConditionSQL.maxBodyTests
    }

    /// Counts a test that would open an array or hand a field to Domain; whether it still may.
    mutating func callsWithField() -> Bool {
        fieldCalls += 1
        return fieldCalls <= ConditionSQL.maxFieldCalls
    }

    /// Whether an index promises that the path holds no arrays.
    private func isIndexed(_ path: FieldPath) -> Bool {
        entry.schema.indexes.contains { $0.fields.contains(path) }
    }

    func exists(_ test: Condition.Test, _ path: FieldPath) -> SQL? {
        guard case .exists(let expected) = test else { return nil }
        guard SQLPath.column(path) == nil else { return expected ? "1" : "0" }
        return "(\(sql: SQLPath.type(path)) \(sql: expected ? "IS NOT NULL" : "IS NULL"))"
    }

    /// Values as the right side of `IN`, one argument however many there are.
    func list(_ values: [JSONValue]) -> SQL {
        "(SELECT value FROM json_each(\(String(decoding: JSONValue.array(values).encoded(), as: UTF8.self))))"
    }
}
