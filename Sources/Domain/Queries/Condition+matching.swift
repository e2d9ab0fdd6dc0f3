extension Condition {
    /// Whether the condition holds for an object, by MongoDB's rules (data-protocol 4.2).
    ///
    /// Sub-queries must have been replaced by their results (``ObjectService`` does it).
    ///
    /// - Parameters:
    ///   - object: What the condition is asked of.
    ///   - relations: Whether an object is in a relation of another one; nothing stands for the object itself.
    /// - Returns: Whether it holds.
    /// - Throws: What a regular expression throws when it takes too many steps.
    package func matches(
        _ object: StoredObject,
        relations: (_ owner: Pointer?, _ key: String, _ member: ObjectID?) throws -> Bool
    ) throws -> Bool {
        switch self {
        case .all(let conditions):
            try conditions.allSatisfy { try $0.matches(object, relations: relations) }
        case .any(let conditions):
            try conditions.contains { try $0.matches(object, relations: relations) }
        case .not(let condition):
            try !condition.matches(object, relations: relations)
        case .field(let path, let test):
            try test.holds(PathValues(of: object.value(of: path.field), along: path.inner))
        case .member(let owner, let key):
            try relations(owner, key, nil)
        case .relates(let key, let members):
            try members.contains { try relations(nil, key, $0) }
        }
    }
}

/// All values that stand at a path: several where the path goes through arrays.
struct PathValues {
    /// What the path ends at; arrays whole.
    private(set) var values: [JSONValue] = []
    /// Whether the path ends nowhere, in the object or in an element it goes through.
    private(set) var isMissing = false

    init(of value: JSONValue?, along path: ArraySlice<String>) {
        if let value { collect(value, path) }
        if values.isEmpty { isMissing = true }
    }

    /// The values, and the elements of those that are arrays.
    var candidates: some Sequence<JSONValue> {
        values.lazy.flatMap { value in [value] + (value.arrayValue ?? []) }
    }

    private mutating func collect(_ value: JSONValue, _ path: ArraySlice<String>) {
        guard let name = path.first else {
            values.append(value)
            return
        }
        switch value {
        case .object(let members):
            if let member = members[name] { collect(member, path.dropFirst()) } else { isMissing = true }
        case .array(let elements):
            if let index = Int(name), String(index) == name, elements.indices.contains(index) {
                collect(elements[index], path.dropFirst())
            }
            for element in elements {
                if case .object = element { collect(element, path) }
            }
        default:
            break
        }
    }
}

extension Condition.Test {
    /// Whether the test holds for a field's value along a path inside it; nothing is a field that is not there.
    ///
    /// - Throws: What a regular expression throws when it takes too many steps.
    package func holds(_ value: JSONValue?, along path: ArraySlice<String>) throws -> Bool {
        try holds(PathValues(of: value, along: path))
    }

    func holds(_ found: PathValues) throws -> Bool {
        switch self {
        case .equals(let value):
            equals(value, found)
        case .isIn(let list):
            found.isMissing && list.contains(.null) || found.candidates.contains(where: list.contains)
        case .containsAll(let list):
            !list.isEmpty && list.allSatisfy { equals($0, found) }
        case .compares(let comparison, let value):
            found.candidates.contains { $0.compare(to: value).map(comparison.holds) ?? false }
        case .exists(let expected):
            found.values.isEmpty != expected
        case .size(let size):
            found.values.contains { $0.arrayValue?.count == size }
        case .isArray:
            found.values.contains { $0.arrayValue != nil }
        case .matches(let pattern):
            try found.candidates.contains { try $0.stringValue.map(pattern.isFound(in:)) ?? false }
        case .near(let circle):
            found.candidates.contains { GeoPoint(stored: $0).map(circle.contains) ?? false }
        case .within(let box):
            found.candidates.contains { GeoPoint(stored: $0).map(box.contains) ?? false }
        case .not(let test):
            try !test.holds(found)
        case .inQuery, .select:
            throw ServiceError(.internalFailure, "Internal error.", cause: UnresolvedSubquery())
        }
    }

    private func equals(_ value: JSONValue, _ found: PathValues) -> Bool {
        if case .null = value, found.isMissing { return true }
        return found.candidates.contains { $0.isSame(as: value) }
    }
}

extension Condition.Circle {
    /// Whether the point's distance is within the bounds.
    package func contains(_ point: GeoPoint) -> Bool {
        let distance = center.distance(to: point)
        return distance >= (minimum ?? 0) && distance <= (maximum ?? .infinity)
    }
}

private struct UnresolvedSubquery: Error {}
