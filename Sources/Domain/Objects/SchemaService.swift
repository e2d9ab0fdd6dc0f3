/// Shows and changes the schemas of classes; only for the master key.
package struct SchemaService: Sendable {
    private let store: any ObjectStore
    private let limits: ObjectLimits

    /// Creates the service for an app's store.
    package init(store: any ObjectStore, limits: ObjectLimits) {
        self.store = store
        self.limits = limits
    }

    /// The schemas of all classes.
    package func all(as caller: Caller) async throws -> [ClassSchema] {
        try caller.requireMasterKey()
        return try await store.read { try $0.schemas().filter { $0.name != .identity } }
    }

    /// The schema of one class.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` if it does not exist.
    package func schema(of name: ClassName, as caller: Caller) async throws -> ClassSchema {
        try caller.requireMasterKey()
        return try await store.read { try $0.existing(name) }
    }

    /// Changes a field's flags; with a type it creates the field and, if necessary, its class.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the invalid member, and for a field that would count up from a
    ///   value without a next number; ``ServiceError/Code/duplicateValue`` if existing values of a unique field are equal.
    package func change(
        _ field: String,
        of name: ClassName,
        by change: FieldChange,
        as caller: Caller
    ) async throws -> FieldDefinition {
        try caller.requireMasterKey()
        try FieldPath.requireFree(field)
        try requireChangeable(field, of: name, by: change)
        return try await store.write { [limits] writer in
            var schema = try writer.schema(of: name) ?? writer.newClass(name, within: limits, for: caller)
            try schema.requireSpelling(of: field)
            if schema.fields[field] == nil, schema.fields.count >= limits.columns {
                throw ServiceError(
                    .badRequest,
                    "The class has \(limits.columns) fields, the limit (objects.maxColumns)."
                )
            }
            let former = schema.fields[field]
            let definition = try change.applied(to: former, named: field)
            if let former, definition.isAutoIncrement, !former.isAutoIncrement {
                try requireNextNumber(of: field, in: name, writer)
            }
            let index = IndexDefinition(fields: [FieldPath(field: field)], isUnique: true)
            schema.fields[field] = definition
            schema.indexes.removeAll { $0 == index }
            if definition.isUnique {
                try limits.requireCapacity(forIndexOf: schema)
                schema.indexes.append(index)
            }
            try writer.save(schema)
            return definition
        }
    }

    /// Creates an index over one or two fields, including dotted paths.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for fields that cannot be indexed, and if the class has the maximum
    ///   number of indexes.
    package func addIndex(_ fields: [String], of name: ClassName, as caller: Caller) async throws -> IndexDefinition {
        try caller.requireMasterKey()
        guard (1...2).contains(fields.count), Set(fields).count == fields.count else {
            throw ServiceError(.badRequest, "fields must name one field, or two different ones.")
        }
        let index = IndexDefinition(fields: try fields.map { try FieldPath($0) })
        return try await store.write { [limits] writer in
            var schema = try writer.existing(name)
            for path in index.fields { try requireIndexable(path, in: schema) }
            guard !schema.indexes.contains(where: { $0.fields == index.fields }) else { return index }
            try limits.requireCapacity(forIndexOf: schema)
            for path in index.fields where path.isNested { try requireNoArrays(along: path, in: schema, writer) }
            schema.indexes.append(index)
            try writer.save(schema)
            return index
        }
    }

    /// Drops an index that the master key created; the index of a unique field is dropped with its flag.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` if there is no index of that name.
    package func removeIndex(_ indexName: String, of name: ClassName, as caller: Caller) async throws {
        try caller.requireMasterKey()
        try await store.write { writer in
            var schema = try writer.existing(name)
            let classes = ClassSchema.builtIn + ClassSchema.ordinary
            let ours = classes.first { $0.name == name }?.indexes ?? []
            guard
                let position = schema.indexes.firstIndex(where: {
                    $0.name == indexName && !$0.isUnique && !ours.contains($0)
                })
            else {
                throw ServiceError(.objectNotFound, "The class has no index '\(indexName.prefix(128))'.")
            }
            schema.indexes.remove(at: position)
            try writer.save(schema)
        }
    }
}

/// The requested change of a field; a flag that is `nil` does not change.
package struct FieldChange: Sendable, Equatable {
    /// The type of a new field; not allowed for an existing one.
    package var type: FieldType?
    /// See ``FieldDefinition/isUnique``.
    package var isUnique: Bool?
    /// See ``FieldDefinition/isRequired``.
    package var isRequired: Bool?
    /// See ``FieldDefinition/isReadOnly``.
    package var isReadOnly: Bool?
    /// See ``FieldDefinition/isHidden``.
    package var isHidden: Bool?
    /// See ``FieldDefinition/isAutoIncrement``.
    package var isAutoIncrement: Bool?
    /// The default value that replies show; null removes it.
    package var defaultValue: JSONValue?

    /// Creates a change without effect.
    package init() {}

    func applied(to known: FieldDefinition?, named name: String) throws -> FieldDefinition {
        guard var definition = known ?? type.map({ FieldDefinition($0) }) else {
            throw ServiceError(.badRequest, "The field '\(name)' does not exist; set its type to create it.")
        }
        if let type, type != definition.type {
            throw ServiceError(
                .badRequest,
                "The field '\(name)' has the type \(definition.type.errorText); it cannot change."
            )
        }
        definition.isUnique = isUnique ?? definition.isUnique
        definition.isRequired = isRequired ?? definition.isRequired
        definition.isReadOnly = isReadOnly ?? definition.isReadOnly
        definition.isHidden = isHidden ?? definition.isHidden
        definition.isAutoIncrement = isAutoIncrement ?? definition.isAutoIncrement
        guard !definition.isUnique && !definition.isAutoIncrement || definition.type.isScalar else {
            throw ServiceError(.badRequest, "A field of type \(definition.type.name) cannot be unique.")
        }
        if case .relation = definition.type, definition.isRequired || defaultValue != nil {
            throw ServiceError(.badRequest, "A relation cannot be required or have a default.")
        }
        guard !definition.isAutoIncrement || definition.type == .number else {
            throw ServiceError(.badRequest, "Only a Number can be auto-incremented.")
        }
        // An auto-increment field is always unique.
        definition.isUnique = definition.isUnique || definition.isAutoIncrement
        if let defaultValue {
            let value = try defaultValue.normalized(field: name)
            guard FieldType(of: value).map({ $0 == definition.type || definition.type == .any }) ?? true else {
                throw ServiceError(
                    .typeMismatch,
                    "The default of '\(name)' must have the type \(definition.type.name)."
                )
            }
            definition.defaultValue = value == .null ? nil : value
        }
        return definition
    }
}

/// Throws for a field that the server created, unless the change only hides a field of users or roles.
private func requireChangeable(_ field: String, of name: ClassName, by change: FieldChange) throws {
    guard name.isReserved else { return }
    let known = ClassSchema.builtIn.first { $0.name == name }
    let isSecret = name == .user && AccountChange.secrets.contains(field)
    let isOurs = known?.fields[field] != nil || field.hasPrefix("_") || isSecret
    var hiding = FieldChange()
    hiding.isHidden = change.isHidden
    guard [.user, .role].contains(name), !isOurs || change == hiding && known?.isOwn(field) == false && !isSecret else {
        throw ServiceError(.badRequest, "The field '\(field)' of '\(name)' cannot be changed.")
    }
}

extension ReadTransaction {
    /// The class that a request names; `nil` if it does not exist, and for `_Identity`, which exists for no caller.
    func visibleSchema(of name: ClassName) throws -> ClassSchema? {
        name == .identity ? nil : try schema(of: name)
    }

    /// The class without its internal fields.
    func existing(_ name: ClassName) throws -> ClassSchema {
        guard let schema = try visibleSchema(of: name) else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return schema
    }
}

/// Throws if an object has a number after which a field cannot count up: each new object would be refused.
private func requireNextNumber(of field: String, in name: ClassName, _ reader: any ReadTransaction) throws {
    let last: Int64 = 1 << 53 - 1
    let condition = Condition.field(FieldPath(field: field), .compares(.greaterOrEqual, .integer(last)))
    guard try reader.count(condition, in: name) == 0 else {
        throw ServiceError(
            .badRequest,
            "The field '\(field)' cannot count up: an object has \(last) or more, after which there is no next number."
        )
    }
}

private func requireIndexable(_ path: FieldPath, in schema: ClassSchema) throws {
    try schema.requireSpelling(of: path.field)
    let type = schema.type(of: path.field)
    guard path.segments.allSatisfy(FieldPath.isFieldName), !schema.isOwn(path.field) else {
        throw ServiceError(.badRequest, "'\(path)' cannot be indexed: its names must be letters, digits and '_'.")
    }
    guard path.isNested ? type == .object : type == .geoPoint || type?.isScalar == true else {
        let what = type.map { "is of type \($0.name)" } ?? "does not exist"
        throw ServiceError(
            .badRequest,
            "'\(path)' cannot be indexed: \(path.field) \(what). Indexes are on fields of one value, and on paths "
                + "inside Object fields."
        )
    }
}

/// Throws if an array is on an indexed path: one object would then have several values.
private func requireNoArrays(along path: FieldPath, in schema: ClassSchema, _ reader: any ReadTransaction) throws {
    for length in 1...path.segments.count {
        let part = try FieldPath(path.segments.prefix(length).joined(separator: "."))
        guard try reader.count(.field(part, .isArray), in: schema.name) == 0 else {
            throw ServiceError(.badRequest, "'\(path)' cannot be indexed: some objects have an array at '\(part)'.")
        }
    }
}
