/// What is known of a class: its fields with their types and flags, and its indexes.
package struct ClassSchema: Sendable, Hashable {
    /// The class.
    package let name: ClassName
    /// The fields that objects ever had, by name; without the built-in ones.
    package var fields: [String: FieldDefinition]
    /// The indexes that were asked for.
    package var indexes: [IndexDefinition]

    /// Its permissions.
    package var permissions: ClassPermissions
    /// What an object without an ACL of its own gets; `nil` means everyone.
    package var defaultACL: AccessControlList?

    /// A class without fields, open as classes of its name are at first.
    package init(name: ClassName, fields: [String: FieldDefinition] = [:], indexes: [IndexDefinition] = []) {
        self.name = name
        self.fields = fields
        self.indexes = indexes
        permissions = ClassPermissions(of: name)
    }

    /// The type of a field, also of the built-in ones; `nil` if no object ever had it.
    package func type(of field: String) -> FieldType? {
        switch field {
        case "objectId": .string
        case "createdAt", "updatedAt": .date
        default: fields[field]?.type
        }
    }

    /// Whether a field is internal: in built-in classes those that begin with `_`, which no caller can read or write.
    package func isOwn(_ field: String) -> Bool {
        name.isBuiltIn && field.hasPrefix("_")
    }

    /// The names of the relations, in order.
    package var relations: [(key: String, target: ClassName)] {
        fields.compactMap { name, field in
            guard case .relation(let target) = field.type else { return nil }
            return (name, target)
        }.sorted { $0.key < $1.key }
    }
}

/// One field of a class.
package struct FieldDefinition: Sendable, Hashable {
    /// What it holds.
    package var type: FieldType
    /// No two objects have the same value; objects without one are not compared.
    package var isUnique = false
    /// An object cannot be made without it (113).
    package var isRequired = false
    /// Only the master key writes it (117).
    package var isReadOnly = false
    /// Only the master key sees it.
    package var isHidden = false
    /// A number that each new object gets, counted up.
    package var isAutoIncrement = false
    /// What objects without the field show; queries do not see it (protocol/data 3.2).
    package var defaultValue: JSONValue?

    /// A field without flags.
    package init(_ type: FieldType) {
        self.type = type
    }
}

extension FieldDefinition {
    /// The flags by their names on the wire and in stores.
    package static var flags: [(name: String, flag: WritableKeyPath<FieldDefinition, Bool>)] {
        [
            ("unique", \.isUnique), ("required", \.isRequired), ("readOnly", \.isReadOnly), ("hidden", \.isHidden),
            ("autoIncrement", \.isAutoIncrement),
        ]
    }

    /// The form on the wire and in stores: `{"type":"Pointer","className":"Folder","required":true}`.
    package var json: JSONValue {
        var members: [String: JSONValue] = ["type": .string(type.name)]
        if let target = type.target { members["className"] = .string(target.description) }
        for (name, flag) in FieldDefinition.flags where self[keyPath: flag] { members[name] = .bool(true) }
        members["default"] = defaultValue
        return .object(members)
    }
}

/// An index over one or two fields.
package struct IndexDefinition: Sendable, Hashable {
    /// What is indexed, in this order.
    package let fields: [FieldPath]
    /// Whether it also refuses a value that is taken.
    package let isUnique: Bool

    /// Takes one or two paths.
    package init(fields: [FieldPath], isUnique: Bool = false) {
        self.fields = fields
        self.isUnique = isUnique
    }

    /// The paths with commas between: `city,age`.
    package var name: String {
        fields.map(\.description).joined(separator: ",")
    }
}
