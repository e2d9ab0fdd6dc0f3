/// A `where` as a checked tree (protocol/data 4.1).
///
/// The database answers it as SQL, ``matches(_:relations:)`` answers it for one object in memory; a table of cases
/// holds the two to the same answers.
package indirect enum Condition: Sendable, Hashable {
    /// Every one holds; an empty list always does.
    case all([Condition])
    /// At least one holds; an empty list never does.
    case any([Condition])
    /// It does not hold.
    case not(Condition)
    /// What stands at a path passes a test.
    case field(FieldPath, Test)
    /// The object is in a relation of another object: `$relatedTo`.
    case member(of: Pointer, key: String)
    /// A relation of the object holds one of these objects.
    case relates(key: String, to: [ObjectID])

    /// Holds for every object.
    package static let always = Condition.all([])

    /// Holds for one object.
    package static func isObject(_ id: ObjectID) -> Condition {
        .field(FieldPath(field: "objectId"), .equals(.string(id.description)))
    }

    /// What is asked of the values at a path.
    package indirect enum Test: Sendable, Hashable {
        case equals(JSONValue)
        case compares(Comparison, JSONValue)
        case isIn(ValueSet)
        case containsAll(ValueSet)
        case exists(Bool)
        case size(Int)
        /// Not of the protocol: whether an index may be made.
        case isArray
        case matches(Pattern)
        case near(Circle)
        case within(Box)
        /// A pointer among the objects that a sub-query finds.
        case inQuery(Subquery)
        /// A value among those that the objects of a sub-query have at a path.
        case select(Subquery, FieldPath)
        case not(Test)

        var isSubquery: Bool {
            switch self {
            case .inQuery, .select: true
            case .not(let test): test.isSubquery
            default: false
            }
        }
    }

    /// `$lt`, `$lte`, `$gt`, `$gte`.
    package enum Comparison: String, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        func holds(_ order: Int) -> Bool {
            switch self {
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        }
    }

    /// A ring around a point, in radians; sorts the nearest first.
    package struct Circle: Sendable, Hashable {
        package let center: GeoPoint
        package let minimum: Double?
        package let maximum: Double?
    }

    /// From a south-western to a north-eastern corner, borders included; it may cross the date line.
    package struct Box: Sendable, Hashable {
        package let southWest: GeoPoint
        package let northEast: GeoPoint

        /// Whether the point is inside.
        package func contains(_ point: GeoPoint) -> Bool {
            let isBetween =
                southWest.longitude <= northEast.longitude
                ? southWest.longitude <= point.longitude && point.longitude <= northEast.longitude
                : southWest.longitude <= point.longitude || point.longitude <= northEast.longitude
            return southWest.latitude <= point.latitude && point.latitude <= northEast.latitude && isBetween
        }
    }

    /// A query inside a query; it runs first, and its results take its place (protocol/data 4.5).
    package struct Subquery: Sendable, Hashable {
        package let className: ClassName
        package let condition: Condition
        package let order: [SortKey]
        package let page: Page
    }

    /// Whether a sub-query stands anywhere in it.
    package var hasSubqueries: Bool {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.hasSubqueries)
        case .not(let condition): condition.hasSubqueries
        case .field(_, let test): test.isSubquery
        case .member, .relates: false
        }
    }

    /// The circle that sorts the results, if there is one: it stands at the top level only.
    package var circle: (path: FieldPath, circle: Circle)? {
        switch self {
        case .all(let conditions): conditions.lazy.compactMap(\.circle).first
        case .field(let path, .near(let circle)): (path, circle)
        default: nil
        }
    }
}

/// One key of an order.
package struct SortKey: Sendable, Hashable {
    /// What is compared.
    package let path: FieldPath
    /// Whether the greatest comes first.
    package let isDescending: Bool

    /// Takes a path and a direction.
    package init(_ path: FieldPath, descending: Bool = false) {
        self.path = path
        isDescending = descending
    }

    /// Reads `-createdAt, title` (protocol/data 4.3).
    ///
    /// - Throws: ``ServiceError/Code/invalidKey`` for a name no field has, ``ServiceError/Code/badRequest`` for over
    ///   ten keys.
    package static func list(_ text: String) throws -> [SortKey] {
        let keys = text.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
        guard keys.count <= 10 else { throw ServiceError(.badRequest, "order has more than 10 keys, the limit.") }
        return try keys.map { key in
            let name = key.drop { $0 == "-" || $0 == "+" }
            let trimmed = name.last == " " ? name.prefix { $0 != " " } : name
            return SortKey(try FieldPath(trimmed), descending: key.first == "-")
        }
    }
}
