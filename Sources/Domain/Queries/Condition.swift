/// A `where` as a checked tree (protocol/data 4.1).
///
/// The database evaluates it as SQL, ``matches(_:within:relations:)`` evaluates it for one object in memory; a table of
/// cases checks that both give the same results.
package indirect enum Condition: Sendable, Hashable {
    /// Every part holds; an empty list always holds.
    case all([Condition])
    /// At least one part holds; an empty list never holds.
    case any([Condition])
    /// The part does not hold.
    case not(Condition)
    /// The value at a path passes a test.
    case field(FieldPath, Test)
    /// The object is in a relation of another object: `$relatedTo`.
    case member(of: Pointer, key: String)
    /// A relation of the object contains one of these objects.
    case relates(key: String, to: [ObjectID])

    /// Holds for every object.
    package static let always = Condition.all([])

    /// The condition that holds for one object only.
    package static func isObject(_ id: ObjectID) -> Condition {
        .field(FieldPath(field: "objectId"), .equals(.string(id.description)))
    }

    /// The condition for objects whose time in `expiresAt` has come.
    static func hasExpired(at now: Timestamp) -> Condition {
        .field(FieldPath(field: "expiresAt"), .compares(.lessOrEqual, .date(now)))
    }

    /// A test of the values at a path.
    package indirect enum Test: Sendable, Hashable {
        case equals(JSONValue)
        case compares(Comparison, JSONValue)
        case isIn(ValueSet)
        case containsAll(ValueSet)
        case exists(Bool)
        case size(Int)
        /// Whether the value is an array; not in the protocol, used before an index is created.
        case isArray
        case matches(Pattern)
        case near(Circle)
        case within(Box)
        /// A pointer to one of the objects that a sub-query finds.
        case inQuery(Subquery)
        /// One of the values that the objects of a sub-query have at a path.
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

    /// A ring around a point, in radians; results are sorted by distance, nearest first.
    package struct Circle: Sendable, Hashable {
        package let center: GeoPoint
        package let minimum: Double?
        package let maximum: Double?
    }

    /// A planar box, borders included, as MongoDB's `$box`: it never crosses the date line.
    package struct Box: Sendable, Hashable {
        /// The corner with the smaller latitude and the smaller longitude.
        package let southWest: GeoPoint
        /// The corner with the greater latitude and the greater longitude.
        package let northEast: GeoPoint

        /// Creates a box from two opposite corners in any order.
        package init(corner: GeoPoint, opposite: GeoPoint) {
            southWest = GeoPoint(
                latitude: min(corner.latitude, opposite.latitude),
                longitude: min(corner.longitude, opposite.longitude)
            )
            northEast = GeoPoint(
                latitude: max(corner.latitude, opposite.latitude),
                longitude: max(corner.longitude, opposite.longitude)
            )
        }

        /// Whether the point is inside.
        package func contains(_ point: GeoPoint) -> Bool {
            southWest.latitude <= point.latitude && point.latitude <= northEast.latitude
                && southWest.longitude <= point.longitude && point.longitude <= northEast.longitude
        }
    }

    /// A query inside a query; it runs first and is replaced by its results (protocol/data 4.5).
    package struct Subquery: Sendable, Hashable {
        package let className: ClassName
        package let condition: Condition
        package let order: [SortKey]
        package let page: Page
    }

    /// Whether the condition contains a sub-query at any depth.
    package var hasSubqueries: Bool {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.hasSubqueries)
        case .not(let condition): condition.hasSubqueries
        case .field(_, let test): test.isSubquery
        case .member, .relates: false
        }
    }

    /// The circle that sorts the results, always at the top level; `nil` if there is none.
    package var circle: (path: FieldPath, circle: Circle)? {
        switch self {
        case .all(let conditions): conditions.lazy.compactMap(\.circle).first
        case .field(let path, .near(let circle)): (path, circle)
        default: nil
        }
    }
}

/// One sort key.
package struct SortKey: Sendable, Hashable {
    /// The path of the compared value.
    package let path: FieldPath
    /// Whether the greatest value comes first.
    package let isDescending: Bool

    /// Creates a sort key from a path and a direction.
    package init(_ path: FieldPath, descending: Bool = false) {
        self.path = path
        isDescending = descending
    }

    /// Parses `-createdAt, title` (protocol/data 4.3).
    ///
    /// - Throws: ``ServiceError/Code/invalidKey`` for an invalid field name, ``ServiceError/Code/badRequest`` for more
    ///   than ten keys.
    package static func list(_ text: String) throws -> [SortKey] {
        let keys = text.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
        guard keys.count <= 10 else { throw ServiceError(.badRequest, "order has more than 10 keys, the limit.") }
        return try keys.map { key in
            let name = key.drop { $0 == "-" || $0 == "+" }
            return SortKey(try FieldPath(name), descending: key.first == "-")
        }
    }
}
