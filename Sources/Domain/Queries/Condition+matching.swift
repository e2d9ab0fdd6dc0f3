extension Condition {
    /// Whether the condition holds for an object, by MongoDB's rules (protocol/data 4.2).
    ///
    /// Sub-queries must have been replaced by their results (``ConditionResolver`` does it).
    ///
    /// - Parameters:
    ///   - object: The object to test.
    ///   - budget: The time limit; `nil` for small conditions.
    ///   - relations: Whether a relation of an object contains one of these objects; `nil` in place of the owner or the
    ///     members is the tested object.
    /// - Returns: Whether it holds.
    /// - Throws: Errors of the budget, and an error for a regular expression that takes too many steps.
    package func matches(
        _ object: StoredObject,
        within budget: QueryBudget? = nil,
        relations: (_ owner: Pointer?, _ key: String, _ members: [ObjectID]?) throws -> Bool
    ) throws -> Bool {
        try budget?.check()
        return switch self {
        case .all(let conditions):
            try conditions.allSatisfy { try $0.matches(object, within: budget, relations: relations) }
        case .any(let conditions):
            try conditions.contains { try $0.matches(object, within: budget, relations: relations) }
        case .not(let condition):
            try !condition.matches(object, within: budget, relations: relations)
        case .field(let path, let test):
            try test.holds(object.value(of: path.field), along: path.inner, within: budget)
        case .member(let owner, let key):
            try relations(owner, key, nil)
        case .relates(let key, let members):
            try relations(nil, key, members)
        }
    }
}

extension Condition.Test {
    /// Whether the test holds for a field's value along a path inside it; `nil` is a missing field.
    ///
    /// - Throws: Errors of the budget, and an error for a regular expression that takes too many steps.
    package func holds(
        _ value: JSONValue?,
        along path: ArraySlice<String>,
        within budget: QueryBudget? = nil
    ) throws -> Bool {
        try holds(PathValues(of: value, along: path, within: budget), within: budget)
    }

    func holds(_ found: PathValues, within budget: QueryBudget?) throws -> Bool {
        switch self {
        case .equals(let value):
            if case .null = value, found.isMissing { return true }
            return try found.contain(within: budget) { $0.isSame(as: value) }
        case .isIn(let list):
            if found.isMissing, list.contains(.null) { return true }
            return try found.contain(within: budget, list.contains)
        case .containsAll(let list):
            return try containsAll(list, found, budget)
        case .compares(let comparison, let value):
            return try found.contain(within: budget) { $0.compare(to: value).map(comparison.holds) ?? false }
        case .exists(let expected):
            return found.values.isEmpty != expected
        case .size(let size):
            return found.values.contains { $0.arrayValue?.count == size }
        case .isArray:
            return found.values.contains { $0.arrayValue != nil }
        case .matches(let pattern):
            return try found.contain(within: budget) { value in
                try value.stringValue.map { try pattern.isFound(in: $0, within: budget) } ?? false
            }
        case .near(let circle):
            return try found.contain(within: budget) { GeoPoint(stored: $0).map(circle.contains) ?? false }
        case .within(let box):
            return try found.contain(within: budget) { GeoPoint(stored: $0).map(box.contains) ?? false }
        case .not(let test):
            return try !test.holds(found, within: budget)
        case .inQuery, .select:
            throw ServiceError(.internalFailure, "Internal error.", cause: UnresolvedSubquery())
        }
    }

    /// Whether the found values include all wanted ones; takes one pass over them for any number of wanted values.
    private func containsAll(_ wanted: ValueSet, _ found: PathValues, _ budget: QueryBudget?) throws -> Bool {
        guard !wanted.values.isEmpty else { return false }
        var met = ValueSet()
        if found.isMissing, wanted.contains(.null) { met.insert(.null) }
        if met.values.count == wanted.values.count { return true }
        return try found.contain(within: budget) { value in
            guard wanted.contains(value), met.insert(value) else { return false }
            return met.values.count == wanted.values.count
        }
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
