/// The schema of a class: its fields with their types and flags, its indexes and its permissions.
package struct ClassSchema: Sendable, Hashable {
    /// The class.
    package let name: ClassName
    /// The fields by name, without the built-in ones; a field stays when no object has it any more.
    package var fields: [String: FieldDefinition]
    /// The indexes that the master key created.
    package var indexes: [IndexDefinition]

    /// The permissions of the class.
    package var permissions: ClassPermissions
    /// The ACL of new objects that are created without one; `nil` grants everyone access.
    package var defaultACL: AccessControlList?

    /// Creates a schema with the default permissions of classes of this name.
    package init(name: ClassName, fields: [String: FieldDefinition] = [:], indexes: [IndexDefinition] = []) {
        self.name = name
        self.fields = fields
        self.indexes = indexes
        permissions = ClassPermissions(of: name)
    }

    /// The type of a field, including the built-in ones; `nil` if no object has ever had the field.
    package func type(of field: String) -> FieldType? {
        switch field {
        case "objectId": .string
        case "createdAt", "updatedAt": .date
        default: fields[field]?.type
        }
    }

    /// Whether a field is internal: in lcfile's own classes those that begin with `_`, which no caller can read or
    /// write.
    package func isOwn(_ field: String) -> Bool {
        name.isReserved && field.hasPrefix("_")
    }

    /// Throws ``ServiceError/Code/invalidKey`` if the class has the field under another spelling of its name.
    ///
    /// Databases compare names byte by byte. Swift treats `é` as one character and as two as equal, so a class cannot
    /// have both.
    func requireSpelling(of name: String) throws {
        guard let index = fields.index(forKey: name), !fields.keys[index].utf8.elementsEqual(name.utf8) else { return }
        throw ServiceError(
            .invalidKey,
            "Invalid key name. The class has the field '\(name)' in another Unicode normalization form."
        )
    }

    /// The relation fields with their target classes, in order of their names.
    package var relations: [(key: String, target: ClassName)] {
        fields.compactMap { name, field in
            guard case .relation(let target) = field.type else { return nil }
            return (name, target)
        }.sorted { $0.key < $1.key }
    }
}

/// One field of a class.
package struct FieldDefinition: Sendable, Hashable {
    /// The type of its values.
    package var type: FieldType
    /// Whether no two objects can have the same value; objects without a value are not compared.
    package var isUnique = false
    /// Whether creating an object requires a value (113).
    package var isRequired = false
    /// Whether only the master key can write the field (117).
    package var isReadOnly = false
    /// Whether only the master key can read the field.
    package var isHidden = false
    /// Whether each new object gets the next number as its value.
    package var isAutoIncrement = false
    /// The value that replies show for objects without the field; queries ignore it (protocol/data 3.2).
    package var defaultValue: JSONValue?

    /// Creates a field without flags.
    package init(_ type: FieldType) {
        self.type = type
    }
}

extension FieldDefinition {
    /// The flags by their names in JSON.
    package static var flags: [(name: String, flag: WritableKeyPath<FieldDefinition, Bool>)] {
        [
            ("unique", \.isUnique), ("required", \.isRequired), ("readOnly", \.isReadOnly), ("hidden", \.isHidden),
            ("autoIncrement", \.isAutoIncrement),
        ]
    }

    /// The JSON form in the protocol and in stores: `{"type":"Pointer","className":"Folder","required":true}`.
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
    /// The indexed paths, in this order.
    package let fields: [FieldPath]
    /// Whether the index also rejects duplicate values.
    package let isUnique: Bool

    /// Creates an index over one or two paths.
    package init(fields: [FieldPath], isUnique: Bool = false) {
        self.fields = fields
        self.isUnique = isUnique
    }

    /// The paths, separated by commas: `city,age`.
    package var name: String {
        fields.map(\.description).joined(separator: ",")
    }
}
