extension ClassSchema {
    /// The form in the table `class` of a database: `{"fields":{"title":{"type":"String"}},"indexes":[…]}`.
    ///
    /// It contains `permissions` and `defaultACL` if they differ from the class's defaults.
    package var storedJSON: JSONValue {
        var members: [String: JSONValue] = [
            "fields": .object(fields.mapValues(\.json)),
            "indexes": .array(
                indexes.map { index in
                    .object([
                        "fields": .array(index.fields.map { .string($0.description) }),
                        "unique": .bool(index.isUnique),
                    ])
                }
            ),
        ]
        if permissions != ClassPermissions(of: name) { members["permissions"] = permissions.json }
        members["defaultACL"] = defaultACL.map { .object($0.json) }
        return .object(members)
    }

    /// Parses that form; throws for invalid values, which only another program can have written.
    package init(name: ClassName, stored json: JSONValue) throws {
        guard let fields = json.objectValue?["fields"]?.objectValue,
            let indexes = json.objectValue?["indexes"]?.arrayValue
        else { throw BrokenSchema(name: name) }
        self.init(
            name: name,
            fields: try fields.mapValues { try FieldDefinition(stored: $0, in: name) },
            indexes: try indexes.map { index in
                let paths = index.objectValue?["fields"]?.arrayValue ?? []
                return IndexDefinition(
                    fields: try paths.compactMap(\.stringValue).map { try FieldPath($0) },
                    isUnique: index.objectValue?["unique"] == .bool(true)
                )
            }
        )
        for (word, audience) in json.objectValue?["permissions"]?.objectValue ?? [:] {
            guard let operation = ClassOperation(rawValue: word) else { throw BrokenSchema(name: name) }
            permissions[operation] = Set(
                try (audience.arrayValue ?? []).compactMap(\.stringValue).map { try Audience($0) }
            )
        }
        defaultACL = (json.objectValue?["defaultACL"]?.objectValue).map(AccessControlList.init(stored:))
    }
}

extension FieldDefinition {
    fileprivate init(stored json: JSONValue, in name: ClassName) throws {
        let members = json.objectValue ?? [:]
        let target = try members["className"]?.stringValue.map { try ClassName($0) }
        guard let type = FieldType(name: members["type"]?.stringValue ?? "", className: target) else {
            throw BrokenSchema(name: name)
        }
        self.init(type)
        for (name, flag) in FieldDefinition.flags { self[keyPath: flag] = members[name] == .bool(true) }
        defaultValue = members["default"]
    }
}

private struct BrokenSchema: Error {
    let name: ClassName
}
