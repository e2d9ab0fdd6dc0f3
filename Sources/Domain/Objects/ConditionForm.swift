/// A condition in the forms that a database evaluates; ``ConditionPlanner`` decides which form each test has.
///
/// An adapter renders every case in the language of its database and decides nothing. What has no form there is
/// ``matched(_:_:from:)``: the database calls Domain. In every form, a test of a value that the object does not have
/// does not hold, unless the case says otherwise.
package indirect enum ConditionForm: Sendable, Hashable {
    /// Holds for every object, or for none.
    case constant(Bool)
    /// Every one holds.
    case all([ConditionForm])
    /// At least one holds.
    case any([ConditionForm])
    /// It does not hold.
    case not(ConditionForm)
    /// The object is in a relation of another object.
    case member(of: Pointer, key: String)
    /// A relation of the object holds one of these objects.
    case relates(key: String, to: [ObjectID])
    /// Whether a value is stored at a path, null among them; never a built-in field, which every object has.
    case exists(FieldPath, Bool)
    /// The value at a path is null or missing.
    case isNull(FieldPath)
    /// The one value at a path passes a test. Every value there has the test's type, so that an index answers it.
    case value(FieldPath, ValueTest)
    /// The same for a path inside a field that an index covers: there is no array on the path, but values can have any
    /// type, and only those of the test's type pass.
    case indexedValue(FieldPath, ValueTest)
    /// An element of the array in a field, of the test's type, passes a test.
    case element(FieldPath, ValueTest)
    /// The array in a field is null or missing, or one of its elements is null.
    case hasNullElement(FieldPath)
    /// A field is an array of so many elements.
    case length(FieldPath, Int)
    /// The point in a field is in a ring around another point.
    case near(FieldPath, Condition.Circle)
    /// The point in a field is in a box.
    case within(FieldPath, Condition.Box)
    /// Domain decides (``Condition/Test/holds(_:along:within:)``), from what the database passes to it.
    case matched(FieldPath, Condition.Test, from: Source)

    /// A test of one value that is neither null nor missing.
    package enum ValueTest: Sendable, Hashable {
        /// The value is the same as this one, of a type.
        case equals(JSONValue, FieldType)
        /// The value is less or greater than this one, of a type whose values have an order.
        case compares(Condition.Comparison, JSONValue, FieldType)
        /// The value is one of these, which are stored alike (``FieldType/storedKind``); with `orNull` it can also be
        /// null or missing.
        case isIn([JSONValue], FieldType, orNull: Bool)
        /// The value is a string in which an expression is found.
        case matches(Pattern)
    }

    /// What Domain gets to evaluate a test.
    package enum Source: Sendable, Hashable {
        /// The value of the path's field.
        case field
        /// The object with all fields; Domain takes the field out.
        case object
    }
}

extension FieldType {
    /// How JSON stores values of a type, which is what a database can tell of a value whose field has no such type.
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
    /// Whether it is a field that every object has, beside those of its class.
    package var isBuiltIn: Bool {
        !isNested && ["objectId", "createdAt", "updatedAt"].contains(field)
    }
}
