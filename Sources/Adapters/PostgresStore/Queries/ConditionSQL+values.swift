internal import Domain

/// Tests of the value at a path.
extension ConditionSQL {
    /// The SQL for a field with one value: a comparison, which an index can evaluate.
    func value(_ test: ConditionForm.ValueTest, at path: FieldPath) -> Bounds {
        if KeySQL.column(path) != nil, path.field != "objectId" { return time(test, at: path) }
        let isOwnID = path.field == "objectId" && !path.isNested
        let column = KeySQL.key(path, in: schema)
        // The column of the id has the id itself; all others have keys.
        func stored(_ value: JSONValue) -> String? {
            isOwnID ? value.stringValue.map(ObjectKeys.escaped) : ObjectKeys.key(value)
        }
        switch test {
        case .equals(let value, _):
            return .exact(compared(column, "=", stored(value), isOwnID))
        case .compares(let comparison, let value, _):
            guard let key = stored(value) else { return .exact("FALSE") }
            let compared = compared(column, comparison.rawValue, key, isOwnID)
            guard path.isNested, let kind = key.first else { return .exact(compared) }
            // Values can have any type, and only those of this one pass.
            return .exact("(\(compared) AND \(range(column, of: String(kind), isOwnID)))")
        case .isIn(let values, _, let orNull):
            let listed = listed(column, values.compactMap(stored), isOwnID)
            return .exact(orNull ? "(\(listed) OR \(sql: column) IS NULL)" : listed)
        case .matches(let pattern):
            let prefix = isOwnID ? "" : "s"
            guard let start = pattern.prefix else { return .necessary("(\(sql: column) IS NOT NULL)") }
            let found = range(column, of: prefix + ObjectKeys.escaped(start.text), isOwnID)
            return start.isAll ? .exact(found) : .necessary(found)
        }
    }

    /// The SQL for an element of an array.
    func element(_ test: ConditionForm.ValueTest, of path: FieldPath) -> Bounds {
        let array = KeySQL.document(path)
        switch test {
        case .equals(let value, _):
            guard let key = ObjectKeys.key(value) else { return .exact("FALSE") }
            return .exact("(\(sql: array) ? \(key))")
        case .isIn(let values, _, _):
            return .exact("(\(sql: array) ?| \(values.compactMap(ObjectKeys.key)))")
        case .compares(let comparison, let value, _):
            guard let key = ObjectKeys.key(value), let kind = key.first else { return .exact("FALSE") }
            return .exact(
                hasElement(
                    array,
                    "value \(sql: comparison.rawValue) \(key) AND \(range("value", of: String(kind), true))"
                )
            )
        case .matches(let pattern):
            let start = pattern.prefix
            let found = hasElement(array, range("value", of: "s" + ObjectKeys.escaped(start?.text ?? ""), true))
            return start?.isAll == true ? .exact(found) : .necessary(found)
        }
    }

    private func hasElement(_ array: String, _ condition: SQL) -> SQL {
        """
        (CASE jsonb_typeof(\(sql: array)) WHEN 'array' THEN EXISTS (SELECT 1 FROM (\
        SELECT value COLLATE "C" AS value FROM jsonb_array_elements_text(\(sql: array)) AS element (value)\
        ) AS elements WHERE \(condition)) ELSE FALSE END)
        """
    }

    /// Built-in times, which are compared in milliseconds, as their columns store them.
    private func time(_ test: ConditionForm.ValueTest, at path: FieldPath) -> Bounds {
        let column = path.field == "createdAt" ? "created_at" : "updated_at"
        switch test {
        case .equals(let value, _):
            return .exact(value.dateValue.map { "(\(sql: column) = \($0.milliseconds))" } ?? "FALSE")
        case .compares(let comparison, let value, _):
            guard let time = value.dateValue else { return .exact("FALSE") }
            return .exact("(\(sql: column) \(sql: comparison.rawValue) \(time.milliseconds))")
        case .isIn(let values, _, _):
            let list = values.compactMap { $0.dateValue.map { "\($0.milliseconds)" } }
            return .exact("(\(sql: column) = ANY(\(list)::bigint[]))")
        case .matches:
            return .exact("FALSE")
        }
    }

    /// A comparison of a key, in a form in which an index on its beginning can evaluate it.
    ///
    /// - Parameters:
    ///   - column: The expression of the key.
    ///   - sign: `=`, `<`, `<=`, `>` or `>=`.
    ///   - key: The key to compare with.
    ///   - isWhole: Whether indexes contain the whole key.
    /// - Returns: The comparison; never true without a key.
    private func compared(_ column: String, _ sign: String, _ key: String?, _ isWhole: Bool) -> SQL {
        guard let key else { return "FALSE" }
        if isWhole { return "(\(sql: column) \(sql: sign) \(key))" }
        let beginning = KeySQL.beginning(column)
        // A key that is shorter than the beginning compares with it as with the whole key.
        guard let start = ConditionSQL.beginning(of: key) else { return "(\(sql: beginning) \(sql: sign) \(key))" }
        let loose = sign == "<" ? "<=" : sign == ">" ? ">=" : sign
        return "(\(sql: beginning) \(sql: loose) \(start) AND \(sql: column) \(sql: sign) \(key))"
    }

    private func listed(_ column: String, _ keys: [String], _ isWhole: Bool) -> SQL {
        if isWhole { return "(\(sql: column) = ANY(\(keys)))" }
        let starts = keys.map { ConditionSQL.beginning(of: $0) ?? $0 }
        let found: SQL = "\(sql: KeySQL.beginning(column)) = ANY(\(starts))"
        return starts == keys ? "(\(found))" : "(\(found) AND \(sql: column) = ANY(\(keys)))"
    }

    /// The SQL for keys with a prefix.
    private func range(_ column: String, of prefix: String, _ isWhole: Bool) -> SQL {
        let start = compared(column, ">=", prefix, isWhole)
        guard let end = ConditionSQL.end(of: prefix) else { return start }
        return "(\(start) AND \(compared(column, "<", end, isWhole)))"
    }

    /// The beginning of a key that an index contains; `nil` if it is the whole key, and shorter than the limit.
    private static func beginning(of key: String) -> String? {
        let scalars = key.unicodeScalars
        guard scalars.count >= KeySQL.indexedLength else { return nil }
        return String(String.UnicodeScalarView(scalars.prefix(KeySQL.indexedLength)))
    }

    /// The first string after all strings with a prefix, in the order of UTF-8 bytes.
    private static func end(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not scalars: U+E000 follows U+D7FF.
            guard let next = Unicode.Scalar(last.value == 0xd7ff ? 0xe000 : last.value + 1) else { continue }
            scalars.append(next)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }
}
