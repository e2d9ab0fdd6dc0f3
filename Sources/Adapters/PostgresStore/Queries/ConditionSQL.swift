internal import Domain

/// Renders a condition as SQL over a class's table; docs/queries.md has a table of the forms.
///
/// PostgreSQL cannot call Domain. So a test that only Domain can evaluate, such as a regular expression, is rendered as
/// two conditions: one that holds for at least all objects that pass, and one that holds for at most those. The first
/// one selects rows, among which the store lets Domain choose.
struct ConditionSQL {
    /// A condition in SQL.
    struct Bounds {
        /// Holds for every object that passes, and perhaps for others.
        let upper: SQL
        /// Holds only for objects that pass, but perhaps not for all of them.
        let lower: SQL
        /// Whether both are the condition itself.
        let isExact: Bool

        /// A condition that SQL evaluates.
        static func exact(_ sql: SQL) -> Bounds { Bounds(upper: sql, lower: sql, isExact: true) }

        /// A condition of which SQL only knows what is necessary.
        static func necessary(_ sql: SQL) -> Bounds { Bounds(upper: sql, lower: "FALSE", isExact: false) }
    }

    let catalog: PostgresCatalog
    let entry: PostgresCatalog.Entry
    var schema: ClassSchema { entry.schema }

    /// Limits that only bound the length of a statement: PostgreSQL reads a stored object once for all its tests.
    private static let limits = ConditionPlanner.Limits(objectTests: 2000, fieldCopies: 100)

    /// The columns that are read of each row.
    static let columns = "id, created_at, updated_at, acl, body"

    /// The conditions on a row: the query's, and that the readers can read it; and whether they are exact.
    func condition(_ query: ObjectQuery) -> (sql: SQL, isExact: Bool) {
        var planner = ConditionPlanner(schema, limits: ConditionSQL.limits)
        let bounds = bounds(planner.form(of: query.condition))
        return ("\(bounds.upper)\(readable(by: query.readers))", bounds.isExact)
    }

    /// A further condition that the readers can read a row; empty if they can read all.
    func readable(by readers: Readers) -> SQL {
        guard case .subjects(let subjects) = readers else { return "" }
        return " AND readers && \(subjects.all.map(ObjectKeys.escaped).sorted())"
    }

    /// The statement that finds objects.
    func find(_ query: ObjectQuery, _ further: SQL = "", where condition: SQL) -> SQL {
        """
        SELECT \(sql: ConditionSQL.columns)\(further) FROM \(sql: entry.table) WHERE \(condition) \
        ORDER BY \(order(query))
        """
    }

    /// The statement that finds the first rows of another one: those that have a size together, and the next one.
    ///
    /// So the database sends no rows that a reply has no space for.
    ///
    /// - Parameters:
    ///   - statement: A statement that selects ``columns``; their order is kept.
    ///   - size: The size in bytes, as `ObjectRow` counts it; `Int.max` for all rows.
    /// - Returns: The statement.
    static func beginning(of statement: SQL, upTo size: Int) -> SQL {
        guard size < .max else { return statement }
        let own = "octet_length(body) + coalesce(octet_length(acl), 0)"
        return """
            SELECT \(sql: columns) FROM (SELECT *, sum(\(sql: own)) OVER (ROWS UNBOUNDED PRECEDING) AS size \
            FROM (\(statement)) AS page) AS sized WHERE size - (\(sql: own)) <= \(Int64(max(0, size)))
            """
    }

    /// The statement that counts objects.
    func count(where condition: SQL) -> SQL {
        "SELECT count(*) FROM \(sql: entry.table) WHERE \(condition)"
    }

    private func bounds(_ form: ConditionForm) -> Bounds {
        switch form {
        case .constant(let holds): return .exact(holds ? "TRUE" : "FALSE")
        case .all(let forms): return joined(forms, by: " AND ", empty: "TRUE")
        case .any(let forms): return joined(forms, by: " OR ", empty: "FALSE")
        case .not(let form):
            // NULL in SQL counts as false in a condition.
            let inner = bounds(form)
            return Bounds(
                upper: "(\(inner.lower) IS NOT TRUE)",
                lower: "(\(inner.upper) IS NOT TRUE)",
                isExact: inner.isExact
            )
        case .member(let owner, let key): return .exact(member(owner, key))
        case .relates(let key, let members): return .exact(relates(key, members))
        case .exists(let path, let expected):
            return .exact("(\(sql: KeySQL.document(path)) \(sql: expected ? "IS NOT NULL" : "IS NULL"))")
        case .isNull(let path): return .exact("(\(sql: KeySQL.key(path, in: schema)) IS NULL)")
        case .value(let path, let test), .indexedValue(let path, let test): return value(test, at: path)
        case .element(let path, let test): return element(test, of: path)
        case .hasNullElement(let path):
            let array = KeySQL.document(path)
            return .exact("(\(sql: array) IS NULL OR \(sql: array) = 'null' OR \(sql: array) @> '[null]')")
        case .length(let path, let length):
            let array = KeySQL.document(path)
            return .exact(
                """
                (CASE jsonb_typeof(\(sql: array)) WHEN 'array' THEN jsonb_array_length(\(sql: array)) \
                = \(Int64(length)) ELSE FALSE END)
                """
            )
        case .near(let path, let circle): return .exact(near(circle, path))
        case .within(let path, let box): return .exact(within(box, path))
        case .matched: return .necessary("TRUE")
        }
    }

    private func joined(_ forms: [ConditionForm], by word: String, empty: SQL) -> Bounds {
        guard !forms.isEmpty else { return .exact(empty) }
        let parts = forms.map { bounds($0) }
        return Bounds(
            upper: "(\(SQL(parts.map(\.upper), separator: word)))",
            lower: "(\(SQL(parts.map(\.lower), separator: word)))",
            isExact: parts.allSatisfy(\.isExact)
        )
    }

    func member(_ owner: Pointer, _ key: String) -> SQL {
        guard let number = catalog.entries[owner.className]?.number else { return "FALSE" }
        return """
            (id IN (SELECT member FROM relation WHERE class = \(number) AND key = \(key) \
            AND owner = \(owner.id.description)))
            """
    }

    func relates(_ key: String, _ members: [ObjectID]) -> SQL {
        """
        (id IN (SELECT owner FROM relation WHERE class = \(entry.number) AND key = \(key) \
        AND member = ANY(\(members))))
        """
    }
}
