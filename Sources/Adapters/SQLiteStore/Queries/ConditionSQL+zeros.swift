internal import Domain
internal import FoundationEssentials
internal import GRDB

/// Strings with U+0000: SQLite ends a string there when it extracts it from JSON, and GRDB when it passes an argument.
extension ConditionSQL {
    /// Whether a test compares strings that SQLite can extract up to U+0000 only.
    func needsWholeStrings(_ test: ConditionForm.ValueTest, at path: FieldPath) -> Bool {
        entry.hasZeros && SQLPath.column(path) == nil && test.isOfStrings
    }

    /// The SQL for a superset of the strings that pass a test, given what SQLite extracts of them; an index evaluates it.
    ///
    /// If two strings differ before U+0000, their beginnings have the same order.
    func candidates(_ test: ConditionForm.ValueTest, of value: String) -> SQL {
        switch test {
        case .equals(let json, _):
            return "\(sql: value) = \(json.beginning.databaseValue)"
        case .compares(let comparison, let json, _):
            let isUpward = [.greater, .greaterOrEqual].contains(comparison)
            return "\(sql: value) \(sql: isUpward ? ">=" : "<=") \(json.beginning.databaseValue)"
        case .isIn(let values, _, let orNull):
            let listed: SQL = "\(sql: value) IN \(list(values.map(\.beginning)))"
            return orNull ? "\(listed) OR \(sql: value) IS NULL" : listed
        case .matches(let pattern):
            guard let prefix = pattern.prefix else { return "1" }
            let text = JSONValue.string(prefix.text)
            return text.hasZero
                ? "\(sql: value) = \(text.beginning.databaseValue)" : strings(with: prefix, in: value)
        }
    }

    /// A value as an argument of a statement, also a string with U+0000.
    func argument(_ json: JSONValue) -> SQL {
        guard json.hasZero, case .string(let text) = json else { return "\(json.databaseValue)" }
        // The sign removes the affinity of the cast, with which no index would be used.
        return "+CAST(\(Data(text.utf8)) AS TEXT)"
    }
}

extension ConditionForm.ValueTest {
    fileprivate var isOfStrings: Bool {
        switch self {
        case .equals(_, let type), .compares(_, _, let type), .isIn(_, let type, _): type.storedKind == .string
        case .matches: true
        }
    }

    /// The same test as Domain evaluates it.
    var ofDomain: Condition.Test {
        switch self {
        case .equals(let json, _): .equals(json)
        case .compares(let comparison, let json, _): .compares(comparison, json)
        case .isIn(let values, _, let orNull): .isIn(ValueSet(orNull ? values + [.null] : values))
        case .matches(let pattern): .matches(pattern)
        }
    }
}

extension JSONValue {
    /// Whether the value is a string with U+0000.
    var hasZero: Bool { stringValue?.utf8.contains(0) == true }

    /// A string up to U+0000, as SQLite extracts it; other values unchanged.
    fileprivate var beginning: JSONValue {
        guard hasZero, case .string(let text) = self else { return self }
        return .string(String(decoding: text.utf8.prefix { $0 != 0 }, as: UTF8.self))
    }
}
