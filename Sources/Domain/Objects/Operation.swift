/// A change of a field or of a path inside it (protocol/data 3.3).
package enum Operation: Sendable, Hashable {
    case set(JSONValue)
    case delete
    case increment(JSONValue)
    case add([JSONValue])
    case addUnique([JSONValue])
    case remove([JSONValue])
    case bits(BitOperator, Int64)
    case addRelation([Pointer])
    case removeRelation([Pointer])
    /// A relation that is sent back as it was read: creates the field and changes nothing else.
    ///
    /// With `nil`, as SDKs send a relation that they have not read, it does not create the field either.
    case keepRelation(ClassName?)

    /// The bitwise operator of an operation on an integer.
    package enum BitOperator: String, Sendable {
        case and = "BitAnd"
        case or = "BitOr"
        case exclusiveOr = "BitXor"
    }

    /// Parses the value of a field in a body: a plain value, an operation, or a `Batch` of several.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field or the defect of a value,
    ///   ``ServiceError/Code/badRequest`` for an unknown operation.
    package static func list(_ json: JSONValue, field: String) throws -> [Operation] {
        guard case .object(let members) = json, let name = members["__op"] else {
            if let relation = try keptRelation(json) { return [relation] }
            return [.set(try json.normalized(field: field))]
        }
        switch name {
        case "Increment", "Decrement":
            let amount = members["amount"] ?? .integer(1)
            guard amount.numberValue != nil else {
                throw refusal(field, "needs a number as 'amount'")
            }
            return [.increment(name == "Increment" ? amount : amount.negated)]
        case "Add": return [.add(try objects(members, field))]
        case "AddUnique": return [.addUnique(try objects(members, field))]
        case "Remove": return [.remove(try objects(members, field))]
        case "Delete": return [.delete]
        case "BitAnd", "BitOr", "BitXor":
            guard let value = members["value"]?.integerValue,
                let bits = BitOperator(rawValue: name.stringValue ?? "")
            else { throw refusal(field, "needs a whole number as 'value'") }
            return [.bits(bits, value)]
        case "AddRelation": return [.addRelation(try pointers(members, field))]
        case "RemoveRelation": return [.removeRelation(try pointers(members, field))]
        case "Batch":
            guard let list = members["ops"]?.arrayValue, list.count <= 100,
                !list.contains(where: { $0.objectValue?["__op"] == "Batch" || $0.objectValue?["__op"] == nil })
            else { throw refusal(field, "needs up to 100 operations as 'ops', no Batch among them") }
            return try list.reduce(into: []) { operations, json in
                for operation in try Operation.list(json, field: field) { operations.append(joining: operation) }
            }
        default:
            guard name.stringValue != nil else { throw refusal(field, "needs a string as '__op'") }
            throw ServiceError(.badRequest, "The operation on '\(field.prefix(64))' is not known: \(name.summary).")
        }
    }

    /// The type that the operation requires of the field; `nil` if it accepts every type.
    package var type: FieldType? {
        switch self {
        case .set(let value): FieldType(of: value)
        case .delete: nil
        case .increment, .bits: .number
        case .add, .addUnique, .remove: .array
        case .addRelation(let pointers), .removeRelation(let pointers): .relation(pointers[0].className)
        case .keepRelation(let target): target.map(FieldType.relation)
        }
    }

    /// The values that the operation contains; a relation's are limited in number.
    var values: [JSONValue] {
        switch self {
        case .set(let value): [value]
        case .add(let values), .addUnique(let values), .remove(let values): values
        case .delete, .increment, .bits, .addRelation, .removeRelation, .keepRelation: []
        }
    }

    private static func keptRelation(_ json: JSONValue) throws -> Operation? {
        guard case .object(let members) = json, members["__type"] == "Relation" else { return nil }
        guard let name = members["className"], name != .null else { return .keepRelation(nil) }
        return .keepRelation(try ClassName(name.stringValue ?? ""))
    }

    private static func objects(_ members: [String: JSONValue], _ field: String) throws -> [JSONValue] {
        guard let list = members["objects"]?.arrayValue else { throw refusal(field, "needs an array as 'objects'") }
        return try list.map { try $0.normalized(field: field) }
    }

    private static func pointers(_ members: [String: JSONValue], _ field: String) throws -> [Pointer] {
        let list = members["objects"]?.arrayValue ?? []
        let pointers = try list.map { value in
            guard let members = value.objectValue else { throw invalidRelation(field) }
            return try Pointer(members)
        }
        guard (1...1000).contains(pointers.count), pointers.allSatisfy({ $0.className == pointers[0].className })
        else { throw invalidRelation(field) }
        return pointers
    }

    private static func invalidRelation(_ field: String) -> ServiceError {
        ServiceError(
            .invalidRelation,
            "Invalid relation data: '\(field)' needs 1 to 1000 pointers to objects of one class."
        )
    }

    private static func refusal(_ field: String, _ what: String) -> ServiceError {
        ServiceError(.malformedJSON, "The operation on '\(field.prefix(64))' \(what).")
    }
}

extension [Operation] {
    /// Appends an operation, or joins it with the last one if both change an array in the same way.
    ///
    /// Each operation on an array takes the time of the whole array, for which all other changes wait.
    fileprivate mutating func append(joining operation: Operation) {
        switch (last, operation) {
        case (.add(let old)?, .add(let new)): self[count - 1] = .add(old + new)
        case (.addUnique(let old)?, .addUnique(let new)): self[count - 1] = .addUnique(old + new)
        case (.remove(let old)?, .remove(let new)): self[count - 1] = .remove(old + new)
        default: append(operation)
        }
    }
}
