/// A condition in the forms that a database evaluates; ``ConditionPlanner`` chooses the form of each test.
///
/// An adapter renders every case in the language of its database and makes no choices. A test without such a form is
/// ``matched(_:_:from:)``: the database calls Domain. In every form, a test does not hold for an object without the
/// tested value, unless the case says otherwise.
package indirect enum ConditionForm: Sendable, Hashable {
    /// Holds for every object (`true`) or for no object (`false`).
    case constant(Bool)
    /// Holds if every part holds.
    case all([ConditionForm])
    /// Holds if at least one part holds.
    case any([ConditionForm])
    /// Holds if the part does not hold.
    case not(ConditionForm)
    /// The object is in a relation of another object.
    case member(of: Pointer, key: String)
    /// A relation of the object contains one of these objects.
    case relates(key: String, to: [ObjectID])
    /// Whether a value, including null, is stored at a path; never a built-in field, which every object has.
    case exists(FieldPath, Bool)
    /// The value at a path is null or missing.
    case isNull(FieldPath)
    /// The single value at a path passes a test. Every value there has the test's type, so an index can evaluate it.
    case value(FieldPath, ValueTest)
    /// Like ``value(_:_:)`` for a path inside a field that an index covers: no array is on the path, but values can
    /// have any type, and only those of the test's type pass.
    case indexedValue(FieldPath, ValueTest)
    /// An element of the array in a field, of the test's type, passes a test.
    case element(FieldPath, ValueTest)
    /// The array in a field is null or missing, or one of its elements is null.
    case hasNullElement(FieldPath)
    /// A field is an array with this number of elements.
    case length(FieldPath, Int)
    /// The point in a field is in a ring around another point.
    case near(FieldPath, Condition.Circle)
    /// The point in a field is in a box.
    case within(FieldPath, Condition.Box)
    /// Domain evaluates the test (``Condition/Test/holds(_:along:within:)``) with the value that the database passes.
    case matched(FieldPath, Condition.Test, from: Source)

    /// A test of one value that is neither null nor missing.
    package enum ValueTest: Sendable, Hashable {
        /// The value equals this one, which has this type.
        case equals(JSONValue, FieldType)
        /// The value is less or greater than this one; the values of its type have an order.
        case compares(Condition.Comparison, JSONValue, FieldType)
        /// The value is one of these, which are stored alike (``FieldType/storedKind``); with `orNull` it can also be
        /// null or missing.
        case isIn([JSONValue], FieldType, orNull: Bool)
        /// The value is a string that matches an expression.
        case matches(Pattern)
    }

    /// The value that the database passes to Domain to evaluate a test.
    package enum Source: Sendable, Hashable {
        /// The value of the path's field.
        case field
        /// The object with all fields; Domain extracts the field.
        case object
    }
}

extension FieldType {
    /// How JSON stores values of a type: all that a database can check of a value whose field has no such type.
    package enum StoredKind: Sendable, Hashable {
        case string
        case number
        case boolean
        case object
    }

    /// How JSON stores values of the type.
    package var storedKind: StoredKind {
        switch self {
        case .string: .string
        case .number: .number
        case .boolean: .boolean
        default: .object
        }
    }
}

extension FieldPath {
    /// Whether every object has the field, regardless of its class.
    package var isBuiltIn: Bool {
        !isNested && ["objectId", "createdAt", "updatedAt"].contains(field)
    }
}
