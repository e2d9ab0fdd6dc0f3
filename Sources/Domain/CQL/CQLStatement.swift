/// A CQL statement as a syntax tree, with all placeholders replaced by their values.
///
/// Names are not checked: the rules of classes, fields and conditions do that, as for REST.
package enum CQLStatement: Sendable, Hashable {
    /// Find objects, count them, or both.
    case select(CQLSelection)
    /// Create one object for each row.
    case insert(into: String, rows: [[String: JSONValue]])
    /// Update one object if the condition holds for it.
    case update(String, id: String, values: [String: JSONValue], where: CQLCondition?)
    /// Delete one object if the condition holds for it.
    case delete(from: String, id: String, where: CQLCondition?)

    /// The name of the class, as it is written.
    package var className: String {
        switch self {
        case .select(let selection): selection.className
        case .insert(let name, _), .update(let name, _, _, _), .delete(let name, _, _): name
        }
    }
}

/// A SELECT, of the whole statement or of a sub-query.
package struct CQLSelection: Sendable, Hashable {
    /// The name of the class.
    package var className = ""
    /// The fields to show; empty means all.
    package var columns: [String] = []
    /// The pointers to replace by their objects.
    package var includes: [String] = []
    /// Whether the matching objects are counted.
    package var counts = false
    /// Whether the objects are part of the result; `false` if the statement selects only their number.
    package var showsObjects = true
    /// The condition; `nil` without WHERE.
    package var condition: CQLCondition?
    /// The number of results; `nil` without LIMIT.
    package var limit: Int?
    /// The number of results to skip.
    package var skip: Int?
    /// The sort keys in the form of REST: `-score,name`.
    package var order = ""
}

/// The condition of a WHERE.
package indirect enum CQLCondition: Sendable, Hashable {
    /// All parts hold: AND.
    case all([CQLCondition])
    /// At least one part holds: OR.
    case any([CQLCondition])
    /// A test of the value at a path.
    case field(String, CQLTest)
    /// The object is in the relation `key` of another object.
    case related(key: String, to: JSONValue)
}

/// One test of a value.
package indirect enum CQLTest: Sendable, Hashable {
    /// `=`, and `all`, which compares whole arrays.
    case equals(JSONValue)
    /// A comparison by an operator of REST, such as `$gt`.
    case compares(String, JSONValue)
    /// `[NOT] IN` a list.
    case isIn(JSONValue, negated: Bool)
    /// `[NOT] IN`, `=` or `!=` a sub-query.
    case isFound(by: CQLSelection, negated: Bool)
    /// `IS [NOT] EXISTS`.
    case exists(Bool)
    /// `[NOT] REGEXP`, and `LIKE` as an expression.
    case matches(JSONValue, negated: Bool, isLike: Bool)
    /// `size(key) =`.
    case size(JSONValue)
    /// `NEAR`, with distances under their names in REST.
    case near(JSONValue, distances: [String: JSONValue])
    /// `WITHIN` two corners.
    case within(southWest: JSONValue, northEast: JSONValue)
}
