/// Decides how a database evaluates the tests of one statement: itself, or by a call of Domain.
///
/// A field's type is known, so most tests become a comparison of one value that an index can evaluate. In every form,
/// the result is that of ``Condition/matches(_:within:relations:)``.
package struct ConditionPlanner {
    /// The number of tests of a statement that a database can evaluate in a way that holds a copy of the data it reads.
    package struct Limits: Sendable {
        /// Tests for which the database reads the object; Domain reads it for all others, and for several at once.
        package var objectTests: Int
        /// Those among them that open an array or pass a field to Domain, which takes several copies of the field.
        package var fieldCopies: Int

        /// Creates limits.
        package init(objectTests: Int, fieldCopies: Int) {
            self.objectTests = objectTests
            self.fieldCopies = fieldCopies
        }
    }

    private let schema: ClassSchema
    private let limits: Limits
    private var objectTests = 0
    private var fieldCopies = 0

    /// - Parameters:
    ///   - schema: The class of the objects.
    ///   - limits: The tests of one statement that can hold copies.
    package init(_ schema: ClassSchema, limits: Limits) {
        self.schema = schema
        self.limits = limits
    }

    /// The form of a condition; call it for all conditions of a statement in their order.
    package mutating func form(of condition: Condition) -> ConditionForm {
        switch condition {
        case .all(let conditions): .all(conditions.map { form(of: $0) })
        case .any(let conditions): .any(merged(conditions).map { form(of: $0) })
        case .not(let condition): .not(form(of: condition))
        case .field(let path, let test): form(of: test, at: path)
        case .member(let owner, let key): .member(of: owner, key: key)
        case .relates(let key, let members): .relates(key: key, to: members)
        }
    }

    /// The alternatives, with those that compare one path to one value merged into one test for several values.
    private func merged(_ alternatives: [Condition]) -> [Condition] {
        guard alternatives.count > limits.objectTests else { return alternatives }
        var values: [FieldPath: [JSONValue]] = [:]
        let others = alternatives.filter { alternative in
            guard case .field(let path, .equals(let value)) = alternative else { return true }
            values[path, default: []].append(value)
            return false
        }
        return values.map { .field($0, .isIn(ValueSet($1))) } + others
    }

    private mutating func form(of test: Condition.Test, at path: FieldPath) -> ConditionForm {
        if case .not(let inner) = test { return .not(form(of: inner, at: path)) }
        if case .containsAll(let list) = test, !list.values.isEmpty, list.values.count <= limits.fieldCopies {
            return .all(list.values.map { form(of: .equals($0), at: path) })
        }
        guard path.isBuiltIn || canReadObject() else { return .matched(path, test, from: .object) }
        guard let type = schema.type(of: path.field) else {
            // No object has a value there, but some can have null.
            return (path.isNested ? nil : existence(test, path)) ?? constant(test, at: path)
        }
        return ownForm(of: test, at: path, type) ?? .matched(path, test, from: canCopyField() ? .field : .object)
    }

    /// The form in which the database evaluates a test itself; `nil` if there is none or a limit is reached.
    private mutating func ownForm(of test: Condition.Test, at path: FieldPath, _ type: FieldType) -> ConditionForm? {
        switch type {
        case .relation: constant(test, at: path)
        case _ where path.isNested: isIndexed(path) ? ofIndexedPath(test, path) : nil
        case .array where test.opensArray: canCopyField() ? ofArray(test, path) : nil
        case .array: ofArray(test, path)
        case .geoPoint: ofPoint(test, path)
        case .object, .any: existence(test, path)
        default: ofScalar(test, path, type)
        }
    }

    /// The constant result of a test for a field without a value.
    private func constant(_ test: Condition.Test, at path: FieldPath) -> ConditionForm {
        .constant((try? test.holds(nil, along: path.inner)) == true)
    }

    private func existence(_ test: Condition.Test, _ path: FieldPath) -> ConditionForm? {
        guard case .exists(let expected) = test else { return nil }
        return path.isBuiltIn ? .constant(expected) : .exists(path, expected)
    }

    /// Counts a test for which the database reads the object; returns whether the limit allows it.
    private mutating func canReadObject() -> Bool {
        objectTests += 1
        return objectTests <= limits.objectTests
    }

    /// Counts a test that opens an array or passes a field to Domain; returns whether the limit allows it.
    private mutating func canCopyField() -> Bool {
        fieldCopies += 1
        return fieldCopies <= limits.fieldCopies
    }

    /// Whether an index guarantees that there is no array on the path.
    private func isIndexed(_ path: FieldPath) -> Bool {
        schema.indexes.contains { $0.fields.contains(path) }
    }
}

/// Forms of tests by the type of their field; `nil` for tests without one.
extension ConditionPlanner {
    /// The form for a field that holds one value of a known type.
    private mutating func ofScalar(_ test: Condition.Test, _ path: FieldPath, _ type: FieldType) -> ConditionForm? {
        switch test {
        case .equals(.null):
            return .isNull(path)
        case .equals(let value):
            return value.isOne(of: type) ? .value(path, .equals(value, type)) : .constant(false)
        case .compares(let comparison, let value):
            guard type.isOrdered, value.isOne(of: type) else { return .constant(false) }
            return .value(path, .compares(comparison, value, type))
        case .isIn(let list):
            let values = list.values.filter { $0.isOne(of: type) }
            return .value(path, .isIn(values, type, orNull: list.contains(.null)))
        case .exists:
            return existence(test, path)
        case .matches(let pattern):
            guard type == .string else { return .constant(false) }
            // If the prefix alone decides, the database passes no value to Domain.
            let isFree = path.isBuiltIn || pattern.prefix?.isAll == true
            return isFree || canCopyField() ? .value(path, .matches(pattern)) : nil
        case .size, .isArray, .near, .within:
            return .constant(false)
        case .containsAll(let list):
            return list.values.isEmpty ? .constant(false) : nil
        case .inQuery, .select, .not:
            return nil
        }
    }

    /// The form for a path inside a field that an index covers.
    private func ofIndexedPath(_ test: Condition.Test, _ path: FieldPath) -> ConditionForm? {
        switch test {
        case .equals(.null):
            return .isNull(path)
        case .equals(let value):
            guard let type = FieldType(of: value), value.isOne(of: type) else { return nil }
            return .indexedValue(path, .equals(value, type))
        case .compares(let comparison, let value):
            guard let type = FieldType(of: value), [.number, .string].contains(type) else { return nil }
            return .indexedValue(path, .compares(comparison, value, type))
        default:
            return existence(test, path)
        }
    }

    /// The form for an array: an element passes the test, or the array itself does.
    private func ofArray(_ test: Condition.Test, _ path: FieldPath) -> ConditionForm? {
        switch test {
        case .equals(.null):
            return .hasNullElement(path)
        case .equals(let value):
            guard let type = FieldType(of: value), value.isOne(of: type) else { return nil }
            return .element(path, .equals(value, type))
        case .compares(let comparison, let value):
            guard let type = FieldType(of: value), [.number, .string].contains(type) else { return nil }
            return .element(path, .compares(comparison, value, type))
        case .isIn(let list):
            // One comparison of the kind, and one of the value.
            guard let type = list.values.first.flatMap(FieldType.init(of:)), type != .boolean,
                list.values.allSatisfy({ value in
                    guard let other = FieldType(of: value) else { return false }
                    return other.storedKind == type.storedKind && value.isOne(of: other)
                })
            else { return nil }
            return .element(path, .isIn(list.values, type, orNull: false))
        case .size(let size):
            return .length(path, size)
        case .matches(let pattern):
            return .element(path, .matches(pattern))
        case .exists:
            return existence(test, path)
        case .containsAll(let list):
            return list.values.isEmpty ? .constant(false) : nil
        case .isArray, .near, .within, .inQuery, .select, .not:
            return nil
        }
    }

    private func ofPoint(_ test: Condition.Test, _ path: FieldPath) -> ConditionForm? {
        switch test {
        case .near(let circle): .near(path, circle)
        case .within(let box): .within(path, box)
        default: existence(test, path)
        }
    }
}

extension Condition.Test {
    /// Whether a database evaluates the test by opening the array in the field.
    fileprivate var opensArray: Bool {
        switch self {
        case .equals, .compares, .isIn, .matches: true
        default: false
        }
    }
}

extension JSONValue {
    /// Whether the value is comparable with stored values of a type; a pointer is comparable with pointers to every
    /// class.
    fileprivate func isOne(of type: FieldType) -> Bool {
        FieldType(of: self)?.name == type.name && (type.isScalar || type == .geoPoint)
    }
}
