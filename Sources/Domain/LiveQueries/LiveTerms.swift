/// The values by which a node of the index is found: at least one of them is in every state that matches.
///
/// The terms find too many states, never too few: whether a state matches is decided by the condition itself.
struct LiveTerms: Sendable {
    /// One path with some of the values; objects match only if they have one of the values of one of the terms.
    struct Term: Sendable {
        let path: FieldPath
        let values: [JSONValue]
    }

    let terms: [Term]

    /// The maximum number of values of the terms of one node.
    static let maxValues = 100

    /// The terms of a condition; `nil` if it has to be evaluated for every change of its class.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - schema: The class; `nil` if it does not exist yet.
    init?(of condition: Condition, in schema: ClassSchema?) {
        guard let terms = LiveTerms.terms(of: condition, schema),
            terms.reduce(0, { $0 + $1.values.count }) <= LiveTerms.maxValues
        else { return nil }
        self.terms = terms
    }

    private static func terms(of condition: Condition, _ schema: ClassSchema?) -> [Term]? {
        switch condition {
        case .all(let conditions):
            // All parts hold, so the terms of any of them find the object.
            return conditions.compactMap { terms(of: $0, schema) }.min { cost(of: $0) < cost(of: $1) }
        case .any(let conditions):
            var all: [Term] = []
            for condition in conditions {
                guard let terms = terms(of: condition, schema) else { return nil }
                all += terms
            }
            return all
        case .field(let path, let test):
            guard let values = values(of: test), values.allSatisfy({ isIndexable($0, at: path, schema) }) else {
                return nil
            }
            return [Term(path: path, values: values)]
        case .not, .member, .relates:
            return nil
        }
    }

    /// The values of which the found ones contain at least one if the test holds; `nil` for other tests.
    private static func values(of test: Condition.Test) -> [JSONValue]? {
        switch test {
        case .equals(let value): [value]
        case .isIn(let list): list.values
        case .containsAll(let list): list.values.first { $0 != .null }.map { [$0] }
        default: nil
        }
    }

    /// Whether a state that matches has the value at the path.
    ///
    /// Null also matches missing fields. The members of a relation are not in the state; a field that does not exist
    /// yet can become a relation if it is compared with a pointer.
    private static func isIndexable(_ value: JSONValue, at path: FieldPath, _ schema: ClassSchema?) -> Bool {
        if case .null = value { return false }
        guard !path.isNested, Pointer(stored: value) != nil else { return true }
        guard let type = schema?.type(of: path.field) else { return false }
        if case .relation = type { return false }
        return true
    }

    /// A number that grows with the number of objects that the terms probably find.
    private static func cost(of terms: [Term]) -> Int {
        terms.reduce(0) { sum, term in
            if term.path.field == "objectId" { return sum + term.values.count }
            return term.values.reduce(sum) { sum, value in
                // Half of the objects can have the same boolean.
                if case .bool = value { return sum + 1000 }
                return sum + 10
            }
        }
    }
}
