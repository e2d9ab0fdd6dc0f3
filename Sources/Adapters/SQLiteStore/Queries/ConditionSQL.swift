internal import Domain
internal import GRDB

/// Renders a condition as SQL over a class's table; docs/queries.md has a table of the forms.
///
/// Domain chooses the form of each test (``ConditionPlanner``).
struct ConditionSQL {
    let catalog: Catalog
    let entry: Catalog.Entry
    let functions: QueryFunctions
    private let budget: QueryBudget?
    /// The registered tests; the caller that runs the statement releases them.
    private(set) var registered: [Int64] = []

    /// The number of a statement's tests that SQLite evaluates.
    ///
    /// SQLite gives each call of a function with a constant argument its own registers, so a running statement holds a
    /// copy of the body for each test that reads it. A test that opens an array or passes a field to Domain holds
    /// several copies of the field.
    private static let limits = ConditionPlanner.Limits(objectTests: 64, fieldCopies: 8)

    init(catalog: Catalog, entry: Catalog.Entry, functions: QueryFunctions, budget: QueryBudget? = nil) {
        self.catalog = catalog
        self.entry = entry
        self.functions = functions
        self.budget = budget
    }

    /// The columns that are read of each row.
    static let columns = "id, created_at, updated_at, acl, body, checksum"

    /// The statement that finds objects.
    mutating func find(_ query: ObjectQuery, selecting columns: String = ConditionSQL.columns) throws -> SQL {
        """
        SELECT \(sql: columns) FROM \(sql: ClassTable(number: entry.number).name) \
        WHERE \(sql(query)) ORDER BY \(try OrderSQL.sql(query, in: entry)) \
        LIMIT \(query.page.limit) OFFSET \(query.page.skip)
        """
    }

    /// The statement that counts objects.
    mutating func count(_ query: ObjectQuery) -> SQL {
        "SELECT count(*) FROM \(sql: ClassTable(number: entry.number).name) WHERE \(sql(query))"
    }

    /// The conditions on a row: first the query's, which can have an index, then that the readers can read it.
    private mutating func sql(_ query: ObjectQuery) -> SQL {
        var planner = ConditionPlanner(entry.schema, limits: ConditionSQL.limits)
        let condition = sql(planner.form(of: query.condition))
        guard case .subjects(let subjects) = query.readers else { return condition }
        let readable = functions.readable(by: subjects)
        registered.append(readable.number)
        return "\(condition) AND \(readable.sql)"
    }

    private mutating func sql(_ form: ConditionForm) -> SQL {
        switch form {
        case .constant(let holds): return holds ? "1" : "0"
        case .all(let forms): return joined(forms.map { sql($0) }[...], by: " AND ", empty: "1")
        case .any(let forms): return joined(forms.map { sql($0) }[...], by: " OR ", empty: "0")
        // NULL in SQL counts as false in a condition.
        case .not(let form): return "(\(sql(form)) IS NOT TRUE)"
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
        case .exists(let path, let expected):
            return "(\(sql: SQLPath.type(path)) \(sql: expected ? "IS NOT NULL" : "IS NULL"))"
        case .isNull(let path): return "(\(sql: SQLPath.value(path)) IS NULL)"
        case .value(let path, let test): return value(test, at: path)
        case .indexedValue(let path, let test): return indexedValue(test, at: path)
        case .element(let path, let test): return element(test, of: path)
        case .hasNullElement(let path):
            return "(\(sql: SQLPath.type(path)) IS NULL OR \(element(of: path, where: "type = 'null'")))"
        case .length(let path, let length):
            return "(\(sql: SQLPath.type(path)) = 'array' AND \(sql: SQLPath.length(path)) = \(length))"
        case .near(let path, let circle): return near(circle, path)
        case .within(let path, let box): return within(box, path)
        case .matched(let path, let test, .field):
            return "lcfile_test(\(register(test, at: path)), \(sql: SQLPath.json(path.field)))"
        case .matched(let path, let test, .object): return ofObject(test, at: path)
        }
    }

    /// The SQL for a test that Domain evaluates with the whole object.
    mutating func ofObject(_ test: Condition.Test, at path: FieldPath) -> SQL {
        // No argument is constant, so that all such calls share their registers.
        "lcfile_body(\(register(test, at: path)) + 0 * number, body)"
    }

    /// Joins terms as a balanced tree: SQLite bounds the depth of an expression, not its length.
    private func joined(_ terms: ArraySlice<SQL>, by word: String, empty: SQL) -> SQL {
        guard terms.count > 1 else { return terms.first ?? empty }
        let half = terms.startIndex + terms.count / 2
        let left = joined(terms[..<half], by: word, empty: empty)
        let right = joined(terms[half...], by: word, empty: empty)
        return "(\(left)\(sql: word)\(right))"
    }

    /// Registers a test that Domain evaluates; the statement calls it by the returned number.
    mutating func register(_ test: Condition.Test, at path: FieldPath) -> Int64 {
        let number = functions.register(test, at: path, within: budget)
        registered.append(number)
        return number
    }

    /// Values as the right side of `IN`: one argument for any number of values.
    func list(_ values: [JSONValue]) -> SQL {
        "(SELECT value FROM json_each(\(String(decoding: JSONValue.array(values).encoded(), as: UTF8.self))))"
    }
}
