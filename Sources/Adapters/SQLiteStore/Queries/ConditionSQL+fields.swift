internal import Domain
internal import GRDB

extension ConditionSQL {
    /// A field that holds one value of a known type: a comparison, which an index answers.
    mutating func ofScalar(_ test: Condition.Test, _ path: FieldPath, _ type: FieldType) -> SQL? {
        let value = SQLPath.value(path)
        let isTime = type == .date && SQLPath.column(path) != nil
        func plain(_ json: JSONValue) -> JSONValue? { isTime ? json.milliseconds : json.plain(in: type) }
        switch test {
        case .equals(.null):
            return "(\(sql: value) IS NULL)"
        case .equals(let json):
            guard let plain = plain(json) else { return "0" }
            return "(\(sql: value) = \(plain.databaseValue))"
        case .compares(let comparison, let json):
            guard type.isOrdered, let plain = plain(json) else { return "0" }
            return "(\(sql: value) \(sql: comparison.rawValue) \(plain.databaseValue))"
        case .isIn(let values):
            let listed: SQL = "\(sql: value) IN \(list(values.values.compactMap(plain)))"
            return values.contains(.null) ? "(\(listed) OR \(sql: value) IS NULL)" : "(\(listed))"
        case .exists: return exists(test, path)
        case .matches(let pattern):
            guard type == .string else { return "0" }
            let isColumn = SQLPath.column(path) != nil
            return isColumn || pattern.prefix?.isAll == true || callsWithField() ? found(pattern, path) : nil
        case .size, .isArray, .near, .within: return "0"
        case .containsAll(let list):
            if list.values.isEmpty { return "0" }
            return nil
        case .inQuery, .select, .not: return nil
        }
    }

    /// A regular expression; if it asks for a prefix, an index finds the strings that begin with it.
    private mutating func found(_ pattern: Pattern, _ path: FieldPath) -> SQL {
        let value = SQLPath.value(path)
        guard let prefix = pattern.prefix else {
            return "lcfile_found(\(register(.matches(pattern), at: path)), \(sql: value))"
        }
        var terms: SQL = "\(sql: value) >= \(prefix.text)"
        if let end = prefix.end { terms = "\(terms) AND \(sql: value) < \(end)" }
        if !prefix.isAll {
            terms = "\(terms) AND lcfile_found(\(register(.matches(pattern), at: path)), \(sql: value))"
        }
        return "(\(terms))"
    }

    /// A path inside a field that an index covers: as of one value, whose type is asked beside.
    func indexed(_ test: Condition.Test, _ path: FieldPath) -> SQL? {
        let value = SQLPath.value(path)
        switch test {
        case .equals(.null):
            return "(\(sql: value) IS NULL)"
        case .equals(let json):
            guard let type = FieldType(of: json), let plain = json.plain(in: type) else { return nil }
            return "(\(sql: value) = \(plain.databaseValue) AND \(sql: SQLPath.type(path)) IN \(sql: type.jsonTypes))"
        case .compares(let comparison, let json):
            guard let type = FieldType(of: json), [.number, .string].contains(type) else { return nil }
            return """
                (\(sql: value) \(sql: comparison.rawValue) \(json.databaseValue) AND \(sql: SQLPath.type(path)) \
                IN \(sql: type.jsonTypes))
                """
        default:
            return exists(test, path)
        }
    }

    /// An array: some element passes, or the array itself.
    mutating func ofArray(_ test: Condition.Test, _ path: FieldPath) -> SQL? {
        switch test {
        case .equals(.null):
            return "(\(sql: SQLPath.type(path)) IS NULL OR \(element(path, "type = 'null'")))"
        case .equals(let json):
            guard let type = FieldType(of: json), let plain = json.plain(in: type) else { return nil }
            return element(path, "type IN \(sql: type.jsonTypes) AND value = \(plain.databaseValue)")
        case .compares(let comparison, let json):
            guard let type = FieldType(of: json), [.number, .string].contains(type) else { return nil }
            return element(
                path,
                "type IN \(sql: type.jsonTypes) AND value \(sql: comparison.rawValue) \(json.databaseValue)"
            )
        case .isIn(let set):
            let values = set.values
            guard let first = values.first, let type = FieldType(of: first), type != .boolean,
                values.allSatisfy({ FieldType(of: $0)?.jsonTypes == type.jsonTypes })
            else { return nil }
            let plains = values.compactMap { $0.plain(in: FieldType(of: $0) ?? type) }
            guard plains.count == values.count else { return nil }
            return element(path, "type IN \(sql: type.jsonTypes) AND value IN \(list(plains))")
        case .size(let size):
            return "(\(sql: SQLPath.type(path)) = 'array' AND \(sql: SQLPath.length(path)) = \(size))"
        case .matches:
            return element(path, "type = 'text' AND lcfile_found(\(register(test, at: path)), value)")
        case .exists: return exists(test, path)
        case .containsAll(let list):
            if list.values.isEmpty { return "0" }
            return nil
        case .isArray, .near, .within, .inQuery, .select, .not: return nil
        }
    }

    private func element(_ path: FieldPath, _ condition: SQL) -> SQL {
        "EXISTS (SELECT 1 FROM \(sql: SQLPath.elements(path)) WHERE \(condition))"
    }

    /// A point: its coordinates are compared before its distance is computed.
    func ofPoint(_ test: Condition.Test, _ path: FieldPath) -> SQL? {
        let latitude = SQLPath.latitude(path)
        let longitude = SQLPath.longitude(path)
        switch test {
        case .near(let circle):
            let center = circle.center
            let distance = ConditionSQL.distance(path, from: center)
            var terms: SQL = "\(sql: latitude) IS NOT NULL"
            if let maximum = circle.maximum {
                // A belt that surely holds the circle, and that an index narrows to.
                let degrees = maximum * 180 / .pi + 1e-6
                terms = """
                    \(sql: latitude) BETWEEN \(center.latitude - degrees) AND \(center.latitude + degrees) \
                    AND \(distance) <= \(maximum)
                    """
            }
            if let minimum = circle.minimum { terms = "\(terms) AND \(distance) >= \(minimum)" }
            return "(\(terms))"
        case .within(let box):
            let (west, east) = (box.southWest.longitude, box.northEast.longitude)
            let between: SQL =
                west <= east
                ? "\(sql: longitude) BETWEEN \(west) AND \(east)"
                : "(\(sql: longitude) >= \(west) OR \(sql: longitude) <= \(east))"
            return """
                (\(sql: latitude) BETWEEN \(box.southWest.latitude) AND \(box.northEast.latitude) AND \(between))
                """
        default:
            return exists(test, path)
        }
    }

    /// The angle between the point of a row and another one.
    static func distance(_ path: FieldPath, from center: GeoPoint) -> SQL {
        """
        lcfile_distance(\(sql: SQLPath.latitude(path)), \(sql: SQLPath.longitude(path)), \
        \(center.latitude), \(center.longitude))
        """
    }
}

extension Condition.Test {
    /// Whether SQL answers it by opening the array that stands in the field.
    var opensArray: Bool {
        switch self {
        case .equals, .compares, .isIn, .matches: true
        default: false
        }
    }
}

extension FieldType {
    /// What SQLite's `json_type` calls values of the type.
    fileprivate var jsonTypes: String {
        switch self {
        case .string: "('text')"
        case .number: "('integer', 'real')"
        case .boolean: "('true', 'false')"
        default: "('object')"
        }
    }
}

extension JSONValue {
    /// The value as `json_extract` gives it, or nothing if no field of the type has it.
    fileprivate func plain(in type: FieldType) -> JSONValue? {
        guard FieldType(of: self)?.name == type.name, type.isScalar || type == .geoPoint else { return nil }
        switch self {
        case .bool(let value): return .integer(value ? 1 : 0)
        case .object: return .string(String(decoding: encoded(), as: UTF8.self))
        default: return self
        }
    }

    /// A date as `created_at` and `updated_at` hold it.
    fileprivate var milliseconds: JSONValue? {
        guard typeName == "Date", let text = objectValue?["iso"]?.stringValue else { return nil }
        return Timestamp(iso8601: text).map { .integer($0.milliseconds) }
    }
}

extension JSONValue {
    /// The value as an argument of a statement: arrays and objects as their text.
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
