/// What is said of a field: in an answer all that is set, in a change only what is to change.
public struct ClassField: Sendable, Hashable, Codable {
    /// `String`, `Number`, `Boolean`, `Date`, `File`, `Object`, `Array`, `GeoPoint`, `Bytes`, `Pointer`, `Relation` or
    /// `Any`; of built-in fields also `ACL`.
    public var type: String?
    /// The class that a `Pointer` or `Relation` leads to.
    public var className: String?
    /// No two objects have the same value.
    public var isUnique: Bool?
    /// An object cannot be made without it.
    public var isRequired: Bool?
    /// Only the master key writes it.
    public var isReadOnly: Bool?
    /// Only the master key sees it.
    public var isHidden: Bool?
    /// A number that each new object gets, counted up.
    public var isAutoIncrement: Bool?
    /// What objects without the field show; ``JSON/null`` in a change takes it away.
    public var defaultValue: JSON?

    /// Says nothing.
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
public struct ClassIndex: Sendable, Hashable, Decodable {
    /// The fields with commas between: `city,age`.
    public let name: String
    /// What is indexed, in this order.
    public let fields: [String]
    /// Whether it also refuses a value that is taken.
    public let isUnique: Bool

    /// Reads `{"name":…,"fields":[…],"unique":true}`.
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
