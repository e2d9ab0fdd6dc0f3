/// The attributes of a field: in a response all of them, in a request those to change.
public struct ClassField: Sendable, Hashable, Codable {
    /// `String`, `Number`, `Boolean`, `Date`, `File`, `Object`, `Array`, `GeoPoint`, `Bytes`, `Pointer`, `Relation` or
    /// `Any`; of built-in fields also `ACL`.
    public var type: String?
    /// The class that a `Pointer` or `Relation` refers to.
    public var className: String?
    /// Whether no two objects can have the same value.
    public var isUnique: Bool?
    /// Whether new objects must have the field.
    public var isRequired: Bool?
    /// Whether only the master key can write it.
    public var isReadOnly: Bool?
    /// Whether only the master key can read it.
    public var isHidden: Bool?
    /// Whether new objects get a number that increases with each object.
    public var isAutoIncrement: Bool?
    /// The value for objects without the field; ``JSON/null`` in a change removes it.
    public var defaultValue: JSON?

    /// Creates a value without attributes.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case type
        case className
        case isUnique = "unique"
        case isRequired = "required"
        case isReadOnly = "readOnly"
        case isHidden = "hidden"
        case isAutoIncrement = "autoIncrement"
        case defaultValue = "default"
    }
}

/// An index of a class.
public struct ClassIndex: Sendable, Hashable, Codable {
    /// The field names joined by commas: `city,age`.
    public let name: String
    /// The indexed fields in order.
    public let fields: [String]
    /// Whether it refuses a value that another object has.
    public let isUnique: Bool

    /// Decodes `{"name":…,"fields":[…],"unique":true}`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        fields = try members.decode([String].self, forKey: .fields)
        isUnique = try members.decodeIfPresent(Bool.self, forKey: .isUnique) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case fields
        case isUnique = "unique"
    }
}
