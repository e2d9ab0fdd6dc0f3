/// One object during a change, and its class, which can gain fields by it.
struct ObjectEdit {
    private(set) var schema: ClassSchema
    var object: StoredObject
    let access: ObjectAccess
    let limits: ObjectLimits
    /// The fields that the change writes; `nil` for a new object, all of whose fields are written.
    private let touched: Set<String>?
    /// The size of the object before the change in bytes; 0 for a new object.
    private let formerSize: Int
    /// Whether the object creates its class, with all fields that it has.
    private let isNewClass: Bool
    /// The operations on relations to perform after the object is stored.
    private var relations: [(key: String, operation: Operation)] = []

    init(
        schema: ClassSchema,
        isNew isNewClass: Bool = false,
        object: StoredObject,
        of formerSize: Int = 0,
        touching touched: Set<String>?,
        access: ObjectAccess,
        limits: ObjectLimits
    ) {
        self.touched = touched
        self.formerSize = formerSize
        self.isNewClass = isNewClass
        self.schema = schema
        self.object = object
        self.access = access
        self.limits = limits
    }

    /// Applies every operation of a change, in order.
    ///
    /// - Throws: ``ServiceError/Code/typeMismatch`` (111), ``ServiceError/Code/readOnlyField`` (117).
    mutating func apply(_ change: ObjectChange) throws {
        for (path, operation) in change.operations { try apply(operation, at: path) }
    }

    private mutating func apply(_ operation: Operation, at path: FieldPath) throws {
        let known = schema.fields[path.field]
        try requireName(path.field)
        if schema.isOwn(path.field) { throw FieldPath.refusal(of: path.field) }
        if known?.isReadOnly == true || known?.isAutoIncrement == true, !access.caller.isMaster {
            throw ServiceError(.readOnlyField, "The field '\(path.field)' is read only.")
        }
        // `Delete` of an unknown field has no effect and creates no field.
        if known == nil, operation == .delete { return }
        if operation == .keepRelation(nil) {
            try requireRelation(path)
            return
        }
        if case .relation? = schema.fields[path.field]?.type, let isNoChange = changeOfRelation(operation, path) {
            if !isNoChange { relations.append((path.field, operation)) }
            return
        }
        if path.isNested, let type = operation.type, !type.isStorable {
            // A relation is a field. A value inside a field has any other type.
            throw ServiceError.mismatch(
                field: path.description,
                value: operation.shownValue,
                expected: .any,
                actual: type
            )
        }
        if let type = path.isNested ? .object : operation.type { try admit(type, operation, at: path) }
        switch operation {
        case .addRelation, .removeRelation:
            relations.append((path.field, operation))
        case .keepRelation:
            break
        default:
            try object.fields.apply(operation, at: path)
        }
    }

    /// Throws ``ServiceError/Code/invalidKey`` for a name of a new field that only the master key can create, and for
    /// another spelling of a known name.
    private func requireName(_ name: String) throws {
        guard !FieldPath.isASCIIFieldName(name) else { return }
        guard access.caller.isMaster || schema.fields[name] != nil else { throw FieldPath.refusal(of: name) }
        try schema.requireSpelling(of: name)
    }

    /// Whether an operation leaves a relation unchanged; `nil` for operations on its members.
    ///
    /// The operation that JavaScript sends for a relation without a net change, and null, change nothing; `Delete`
    /// empties the relation.
    private func changeOfRelation(_ operation: Operation, _ path: FieldPath) -> Bool? {
        switch operation {
        case .set(.object([:])), .set(.null): true
        case .delete: path.isNested
        default: nil
        }
    }

    /// Throws ``ServiceError/Code/invalidClassName`` for a relation without a class inside a field, or in a field of
    /// another type.
    private func requireRelation(_ path: FieldPath) throws {
        let type = schema.fields[path.field]?.type
        if !path.isNested, type == nil { return }
        if !path.isNested, case .relation? = type { return }
        throw ServiceError(.invalidClassName, "The Relation of '\(path)' has no className.")
    }

    /// Checks a type against the field's type, or creates the field with it.
    private mutating func admit(_ type: FieldType, _ operation: Operation, at path: FieldPath) throws {
        if let expected = schema.fields[path.field]?.type {
            guard expected == type || expected == .any && type.isStorable else {
                throw ServiceError.mismatch(
                    field: path.description,
                    value: operation.shownValue,
                    expected: expected,
                    actual: type
                )
            }
        } else {
            if !isNewClass { try access.require(.addFields, in: schema) }
            let limit = limits.share(of: limits.columns, named: "objects.maxColumns", for: access.caller)
            guard schema.fields.count < limit.count else {
                throw ServiceError(
                    .badRequest,
                    "The class '\(schema.name)' has too many fields for the new field '\(path.field)'; the limit is "
                        + "\(limit.count) (\(limit.settings))."
                )
            }
            schema.fields[path.field] = FieldDefinition(type)
        }
    }

    /// Checks the whole object; checks required fields of a new object, and those that the change writes.
    ///
    /// - Throws: ``ServiceError/Code/missingField`` (113), ``ServiceError/Code/objectTooLarge`` (116).
    func finish() throws {
        for (name, field) in schema.fields.sorted(by: { $0.key < $1.key }) {
            guard touched?.contains(name) ?? true else { continue }
            let value = object.fields[name]
            if field.isRequired, value == nil || value == .null {
                throw ServiceError(.missingField, "The field '\(name)' is required.")
            }
            if field.isAutoIncrement, let value, value != .null, !value.isCountable {
                throw ServiceError(.badRequest, "The field '\(name)' counts up: it must be a whole number below 2^53.")
            }
        }
        guard JSONValue.object(object.fields).depth <= JSONValue.maxDepth else {
            throw ServiceError(.badRequest, "The object would be nested deeper than \(JSONValue.maxDepth) levels.")
        }
        for path in schema.indexes.flatMap(\.fields) where path.isNested { try requireNoArray(along: path) }
        try limits.requireSize(of: object, instead: formerSize, by: access.caller)
    }

    /// Throws if an array is on an indexed path: an index requires one value per object.
    private func requireNoArray(along path: FieldPath) throws {
        var value = object.fields[path.field]
        for name in path.inner {
            if case .array? = value { break }
            value = value?.objectValue?[name]
        }
        guard case .array? = value else { return }
        throw ServiceError(.typeMismatch, "'\(path)' is indexed, so it must not contain an array.")
    }

    /// Changes the relations of the stored object.
    func relate(in writer: any WriteTransaction) throws {
        let owner = Pointer(schema.name, object.id)
        for (key, operation) in relations {
            switch operation {
            case .addRelation(let members): try writer.relate(owner, key, to: members.map(\.id))
            case .removeRelation(let members): try writer.unrelate(owner, key, from: members.map(\.id))
            default: try writer.unrelate(owner, key, from: nil)
            }
        }
    }
}

extension FieldType {
    /// Whether values of the type are stored in the object itself.
    fileprivate var isStorable: Bool {
        if case .relation = self { return false }
        return true
    }
}

extension JSONValue {
    /// Whether the number can be incremented exactly, also where numbers are doubles.
    var isCountable: Bool {
        integerValue.map { abs($0.clamped) < 1 << 53 } ?? false
    }
}

extension Int64 {
    /// The number, with the maximum in place of the minimum, which has no opposite.
    fileprivate var clamped: Int64 { self == .min ? .max : self }
}
