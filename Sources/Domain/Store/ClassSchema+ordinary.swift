extension ClassSchema {
    /// The built-in classes that SDKs and apps use like classes of the app, with the fields that rules of lcfile read.
    ///
    /// Imports can create them with further fields, so they are no part of ``builtIn``:
    /// ``WriteTransaction/prepareOrdinaryClasses()`` adds what is missing.
    static let ordinary: [ClassSchema] = [
        .installations, .followers, .followees, .friendshipRequests, .blocklists, .statuses,
    ]

    /// Devices (docs/people.md).
    private static let installations = ClassSchema(
        name: .installation,
        fields: ["deviceToken": FieldDefinition(.string), "installationId": FieldDefinition(.string)],
        indexes: [.of("deviceToken"), .of("installationId")]
    )

    /// The followers of users: `follower` follows `user`.
    ///
    /// Deliveries read the followers of one user by the ids of these objects.
    private static let followers = ClassSchema(
        name: .follower,
        fields: ["user": .user, "follower": .user],
        indexes: [.of("user", "follower"), .of("follower"), .of("user", "objectId")]
    )

    /// The followees of users: `user` follows `followee`, and is a friend if `friendStatus` is true.
    private static let followees = ClassSchema(
        name: .followee,
        fields: ["user": .user, "followee": .user, "friendStatus": .written(.boolean)],
        indexes: [.of("user", "followee"), .of("followee")]
    )

    /// Requests of `user` for the friendship of `friend`.
    private static let friendshipRequests = ClassSchema(
        name: .friendshipRequest,
        fields: ["user": .user, "friend": .user, "status": .written(.string)],
        indexes: [.of("user", "friend"), .of("friend")]
    )

    /// Users whom `user` blocks.
    private static let blocklists = ClassSchema(
        name: .blocklist,
        fields: ["user": .user, "blockedUser": .user],
        indexes: [.of("user", "blockedUser"), .of("blockedUser")]
    )

    /// What `source` has published.
    private static let statuses = ClassSchema(
        name: .status,
        fields: ["source": .user, "inboxType": .written(.string)],
        indexes: [.of("source")]
    )
}

extension WriteTransaction {
    /// Creates the classes of ``ClassSchema/ordinary``, or adds their fields and indexes to those that imports created.
    ///
    /// A field of another type stays as it is, without its index.
    func prepareOrdinaryClasses() throws {
        for template in ClassSchema.ordinary {
            guard let known = try schema(of: template.name) else {
                try save(template)
                continue
            }
            var schema = known
            for (name, field) in template.fields {
                if schema.fields[name] == nil { schema.fields[name] = field }
                if schema.fields[name]?.type == field.type, field.isReadOnly { schema.fields[name]?.isReadOnly = true }
            }
            for index in template.indexes where !schema.indexes.contains(where: { $0.fields == index.fields }) {
                let fits = index.fields.allSatisfy { schema.type(of: $0.field) == template.type(of: $0.field) }
                if fits { schema.indexes.append(index) }
            }
            if schema != known { try save(schema) }
        }
    }
}

extension FieldDefinition {
    /// A pointer to a user that only the server and the master key write.
    fileprivate static var user: FieldDefinition { written(.pointer(.user)) }

    /// A field that only the server and the master key write.
    fileprivate static func written(_ type: FieldType) -> FieldDefinition {
        var definition = FieldDefinition(type)
        definition.isReadOnly = true
        return definition
    }
}

extension IndexDefinition {
    fileprivate static func of(_ fields: String...) -> IndexDefinition {
        IndexDefinition(fields: fields.map { FieldPath(field: $0) })
    }
}
