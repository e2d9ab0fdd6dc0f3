internal import Domain
internal import GRDB

extension ConditionSQL {
    /// The SQL for a field with one value of a known type: a comparison, which an index can evaluate.
    mutating func value(_ test: ConditionForm.ValueTest, at path: FieldPath) -> SQL {
        if needsWholeStrings(test, at: path) {
            return "((\(candidates(test, of: SQLPath.value(path)))) AND \(ofObject(test.ofDomain, at: path)))"
        }
        if case .matches(let pattern) = test { return found(pattern, at: path) }
        return "(\(comparison(test, of: SQLPath.value(path), path)))"
    }

    /// The SQL for a regular expression; if it requires a prefix, an index finds the strings with the prefix.
    private mutating func found(_ pattern: Pattern, at path: FieldPath) -> SQL {
        let value = SQLPath.value(path)
        guard let prefix = pattern.prefix else { return found(pattern, in: value, of: path) }
        let range = strings(with: prefix, in: value)
        return prefix.isAll ? "(\(range))" : "(\(range) AND \(found(pattern, in: value, of: path)))"
    }

    /// The SQL for the range of strings with a prefix.
    func strings(with prefix: Pattern.Prefix, in value: String) -> SQL {
        let start: SQL = "\(sql: value) >= \(argument(.string(prefix.text)))"
        return prefix.end.map { "\(start) AND \(sql: value) < \(argument(.string($0)))" } ?? start
    }

    private mutating func found(_ pattern: Pattern, in value: String, of path: FieldPath) -> SQL {
        "lcfile_found(\(register(.matches(pattern), at: path)), \(sql: value))"
    }

    /// The SQL for a path inside a field that an index covers: as for one value, with a check of its type.
    mutating func indexedValue(_ test: ConditionForm.ValueTest, at path: FieldPath) -> SQL {
        let value = SQLPath.value(path)
        let isOfType: SQL = "\(sql: SQLPath.type(path)) IN \(sql: test.jsonTypes)"
        if needsWholeStrings(test, at: path) {
            return "((\(candidates(test, of: value))) AND \(isOfType) AND \(ofObject(test.ofDomain, at: path)))"
        }
        return "(\(comparison(test, of: value, path)) AND \(isOfType))"
    }

    /// The SQL for an element of an array, or for the value of a field that is not an array.
    mutating func element(_ test: ConditionForm.ValueTest, of path: FieldPath) -> SQL {
        let types: SQL = if case .matches = test { "type = 'text'" } else { "type IN \(sql: test.jsonTypes)" }
        if needsWholeStrings(test, at: path) {
            let possible = element(of: path, where: "\(types) AND (\(candidates(test, of: "value")))")
            return "(\(possible) AND \(ofObject(test.ofDomain, at: path)))"
        }
        return element(of: path, where: "\(types) AND \(comparison(test, of: "value", path))")
    }

    func element(of path: FieldPath, where condition: SQL) -> SQL {
        "EXISTS (SELECT 1 FROM \(sql: SQLPath.elements(path)) WHERE \(condition))"
    }

    /// The SQL for a comparison of a value; built-in times are compared in milliseconds, as their columns store them.
    private mutating func comparison(
        _ test: ConditionForm.ValueTest,
        of value: String,
        _ path: FieldPath
    ) -> SQL {
        let isTime = value == SQLPath.column(path) && path.field != "objectId"
        func stored(_ json: JSONValue) -> JSONValue { isTime ? json.milliseconds : json.stored }
        switch test {
        case .equals(let json, _):
            return "\(sql: value) = \(argument(stored(json)))"
        case .compares(let comparison, let json, _):
            return "\(sql: value) \(sql: comparison.rawValue) \(argument(stored(json)))"
        case .isIn(let values, _, let orNull):
            // `json_each` would end them at U+0000, and no value equals them.
            let possible = values.filter { !$0.hasZero }
            let listed: SQL = "\(sql: value) IN \(list(possible.map(stored)))"
            return orNull ? "\(listed) OR \(sql: value) IS NULL" : listed
        case .matches(let pattern):
            return found(pattern, in: value, of: path)
        }
    }

    /// The SQL for a point in a ring: its coordinates are compared before its distance is computed.
    func near(_ circle: Condition.Circle, _ path: FieldPath) -> SQL {
        let latitude = SQLPath.latitude(path)
        let center = circle.center
        let distance = ConditionSQL.distance(path, from: center)
        var terms: SQL = "\(sql: latitude) IS NOT NULL"
        if let maximum = circle.maximum {
            let belt = center.latitudes(within: maximum)
            terms = """
                \(sql: latitude) BETWEEN \(belt.lowest) AND \(belt.highest) \
                AND \(distance) <= \(maximum)
                """
        }
        if let minimum = circle.minimum { terms = "\(terms) AND \(distance) >= \(minimum)" }
        return "(\(terms))"
    }

    /// The SQL for a point in a box.
    func within(_ box: Condition.Box, _ path: FieldPath) -> SQL {
        let latitude = SQLPath.latitude(path)
        let longitude = SQLPath.longitude(path)
        let (southWest, northEast) = (box.southWest, box.northEast)
        return """
            (\(sql: latitude) BETWEEN \(southWest.latitude) AND \(northEast.latitude) \
            AND \(sql: longitude) BETWEEN \(southWest.longitude) AND \(northEast.longitude))
            """
    }

    /// The angle between the point of a row and another one.
    static func distance(_ path: FieldPath, from center: GeoPoint) -> SQL {
        """
        lcfile_distance(\(sql: SQLPath.latitude(path)), \(sql: SQLPath.longitude(path)), \
        \(center.latitude), \(center.longitude))
        """
    }
}

extension ConditionForm.ValueTest {
    /// SQLite's `json_type` names of the values that can pass.
    fileprivate var jsonTypes: String {
        switch self {
        case .equals(_, let type), .compares(_, _, let type), .isIn(_, let type, _): type.storedKind.jsonTypes
        case .matches: FieldType.StoredKind.string.jsonTypes
        }
    }
}

extension FieldType.StoredKind {
    fileprivate var jsonTypes: String {
        switch self {
        case .string: "('text')"
        case .number: "('integer', 'real')"
        case .boolean: "('true', 'false')"
        case .object: "('object')"
        }
    }
}

extension JSONValue {
    /// The value in the form of `json_extract`.
    fileprivate var stored: JSONValue {
        switch self {
        case .bool(let value): .integer(value ? 1 : 0)
        case .object: .string(String(decoding: encoded(), as: UTF8.self))
        default: self
        }
    }

    /// A date as stored in `created_at` and `updated_at`; null, which equals no value, for an invalid one.
    fileprivate var milliseconds: JSONValue {
        objectValue?["iso"]?.stringValue.flatMap(Timestamp.init(iso8601:)).map { .integer($0.milliseconds) } ?? .null
    }
}

extension JSONValue {
    /// The value as an argument of a statement: arrays and objects as JSON text.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .bool(let value): value.databaseValue
        case .integer(let value): value.databaseValue
        case .number(let value): value.databaseValue
        case .string(let value): value.databaseValue
        case .array, .object: String(decoding: encoded(), as: UTF8.self).databaseValue
        }
    }
}
