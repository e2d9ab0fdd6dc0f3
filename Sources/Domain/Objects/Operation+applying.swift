extension Operation {
    /// Applies the operation to one value.
    ///
    /// - Parameters:
    ///   - value: The current value; `nil` if there is no value.
    ///   - path: The path for error messages.
    /// - Returns: The value after the change; `nil` if the operation deletes it.
    /// - Throws: ``ServiceError/Code/typeMismatch`` if the current value has another type.
    func applied(to value: JSONValue?, at path: FieldPath) throws -> JSONValue? {
        // Every operation treats a stored null as a missing value.
        let present = value == .null ? nil : value
        switch self {
        case .set(let new): return new
        case .delete: return nil
        case .increment(let amount):
            guard let present else { return amount }
            guard present.numberValue != nil else { throw mismatch(path, present, .number) }
            return try present.adding(amount, at: path)
        case .bits(let bits, let operand):
            guard let present else { return .integer(bits.apply(0, operand)) }
            guard let whole = present.integerValue else {
                guard present.numberValue != nil else { throw mismatch(path, present, .number) }
                throw ServiceError(
                    .typeMismatch,
                    "Invalid value type for field '\(path)',value '\(operand)': \(bits.rawValue) needs a whole number of "
                        + "64 bits, and the field has another number."
                )
            }
            return .integer(bits.apply(whole, operand))
        case .add(let new):
            return .array(try elements(present, path) + new)
        case .addUnique(let new):
            // Existing duplicates stay; no new ones are added.
            var all = try elements(present, path)
            var known = ValueSet(all)
            for value in new where known.insert(value) { all.append(value) }
            return .array(all)
        case .remove(let old):
            let removed = ValueSet(old)
            return .array(try elements(present, path).filter { !removed.contains($0) })
        case .addRelation, .removeRelation, .keepRelation:
            return value
        }
    }

    private func elements(_ value: JSONValue?, _ path: FieldPath) throws -> [JSONValue] {
        guard let value else { return [] }
        guard let elements = value.arrayValue else { throw mismatch(path, value, .array) }
        return elements
    }

    /// The error for an operation on a value of another type.
    ///
    /// It does not show the stored value, because the caller may not be allowed to read it.
    private func mismatch(_ path: FieldPath, _ present: JSONValue, _ type: FieldType) -> ServiceError {
        .mismatch(field: path.description, value: shownValue, expected: FieldType(of: present) ?? .any, actual: type)
    }

    /// The value that the message of a mismatch quotes: the one that the caller sent.
    var shownValue: JSONValue {
        switch self {
        case .set(let value), .increment(let value): value
        case .add(let values), .addUnique(let values), .remove(let values): .array(values)
        case .bits(_, let value): .integer(value)
        case .addRelation(let pointers), .removeRelation(let pointers): .array(pointers.map(\.json))
        case .delete, .keepRelation: .null
        }
    }
}

extension ServiceError {
    /// The error for a value whose type does not match its field: the newer message of error 111 (protocol/data 3.7).
    static func mismatch(field: String, value: JSONValue, expected: FieldType, actual: FieldType) -> ServiceError {
        ServiceError(
            .typeMismatch,
            "Invalid value type for field '\(field)',value '\(value.summary)',expect type is \(expected.errorText),"
                + "but it is '\(actual.errorText)'."
        )
    }
}

extension Operation.BitOperator {
    func apply(_ left: Int64, _ right: Int64) -> Int64 {
        switch self {
        case .and: left & right
        case .or: left | right
        case .exclusiveOr: left ^ right
        }
    }
}

extension JSONValue {
    /// The number with the opposite sign.
    var negated: JSONValue {
        switch self {
        case .integer(let value) where value != .min: .integer(-value)
        default: .number(-(numberValue ?? 0))
        }
    }

    /// The sum of two numbers: an integer if both are and the sum fits.
    func adding(_ amount: JSONValue, at path: FieldPath) throws -> JSONValue {
        if case .integer(let left) = self, case .integer(let right) = amount {
            let (sum, overflows) = left.addingReportingOverflow(right)
            if !overflows { return .integer(sum) }
        }
        let sum = (numberValue ?? 0) + (amount.numberValue ?? 0)
        guard sum.isFinite else {
            throw ServiceError(.badRequest, "'\(path)' would become a number too large.")
        }
        return .number(sum)
    }
}

extension [String: JSONValue] {
    /// Applies an operation at a path inside the fields; creates missing objects on the path.
    ///
    /// - Throws: ``ServiceError/Code/typeMismatch`` if the path passes through a value that is not an object.
    mutating func apply(_ operation: Operation, at path: FieldPath) throws {
        try apply(operation, along: path.segments[...], of: path)
    }

    private mutating func apply(_ operation: Operation, along way: ArraySlice<String>, of path: FieldPath) throws {
        guard let name = way.first else { return }
        let value = self[name]
        guard way.count > 1 else {
            self[name] = try operation.applied(to: value, at: path)
            return
        }
        switch value {
        case nil, .null?:
            guard operation != .delete else { return }
            var members: [String: JSONValue] = [:]
            try members.apply(operation, along: way.dropFirst(), of: path)
            self[name] = .object(members)
        case .object(var members)? where members["__type"] == nil:
            self[name] = nil
            try members.apply(operation, along: way.dropFirst(), of: path)
            self[name] = .object(members)
        case let value?:
            throw ServiceError.mismatch(
                field: path.description,
                value: operation.shownValue,
                expected: FieldType(of: value) ?? .any,
                actual: .object
            )
        }
    }
}
