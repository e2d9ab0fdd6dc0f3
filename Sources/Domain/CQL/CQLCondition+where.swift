extension CQLCondition {
    /// The condition as the `where` of REST, with `$notRegex` for NOT LIKE and NOT REGEXP.
    ///
    /// Throws ``ServiceError/Code/invalidInnerKey`` for a value with names of operators: a client's value for a
    /// placeholder must not become a condition.
    package var json: JSONValue {
        get throws {
            switch self {
            case .all(let parts): .object(["$and": .array(try parts.map { try $0.json })])
            case .any(let parts): .object(["$or": .array(try parts.map { try $0.json })])
            case .field(let path, let test): .object([path: try test.json(of: path)])
            case .related(let key, let owner):
                .object(["$relatedTo": .object(["object": owner, "key": .string(key)])])
            }
        }
    }
}

extension CQLTest {
    fileprivate func json(of path: String) throws -> JSONValue {
        switch self {
        case .equals(let value):
            guard !(value.objectValue ?? [:]).keys.contains(where: { $0.hasPrefix("$") }) else {
                throw ServiceError(
                    .invalidInnerKey,
                    "Invalid key inside the value of '\(path.prefix(64))': names must not contain '$'."
                )
            }
            return value
        case .compares(let name, let value): return .object([name: value])
        case .isIn(let list, let isNegated): return .object([isNegated ? "$nin" : "$in": list])
        case .isFound(let selection, let isNegated): return try selection.test(isNegated: isNegated)
        case .exists(let exists): return .object(["$exists": .bool(exists)])
        case .matches(let text, let isNegated, let isLike):
            let name = isNegated ? "$notRegex" : "$regex"
            guard isLike, let like = text.stringValue else { return .object([name: text]) }
            // '%' stands for line breaks too.
            return .object([name: .string(CQLTest.expression(like: like)), "$options": "s"])
        case .size(let size): return .object(["$size": size])
        case .near(let center, let distances):
            return .object(distances.merging(["$nearSphere": center]) { distance, _ in distance })
        case .within(let southWest, let northEast):
            return .object(["$within": .object(["$box": .array([southWest, northEast])])])
        }
    }

    /// The expression for a LIKE, in which only `%` has a meaning; without `%` at its ends it matches whole strings.
    private static func expression(like text: String) -> String {
        var expression = text.unicodeScalars.first == "%" ? "" : "^"
        let parts = text.unicodeScalars.split(separator: "%", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            // A '%' at an end needs no expression: a match can begin and end anywhere.
            if !part.isEmpty, index > 1 || (index == 1 && !parts[0].isEmpty) { expression += ".*" }
            for scalar in part {
                if scalar.isASCII, !UInt8(scalar.value).isASCIIAlphanumeric, scalar.value > 0x20 { expression += "\\" }
                expression.unicodeScalars.append(scalar)
            }
        }
        return expression + (text.unicodeScalars.last == "%" ? "" : "\\z")
    }
}

extension CQLSelection {
    /// A sub-query: of whole objects for pointers to them, of one field for its values.
    fileprivate func test(isNegated: Bool) throws -> JSONValue {
        var query: [String: JSONValue] = ["className": .string(className)]
        query["where"] = try condition?.json
        query["limit"] = limit.map { .integer(Int64($0)) }
        query["skip"] = skip.map { .integer(Int64($0)) }
        if !order.isEmpty { query["order"] = .string(order) }
        guard let column = columns.first else {
            return .object([isNegated ? "$notInQuery" : "$inQuery": .object(query)])
        }
        let selection: JSONValue = .object(["query": .object(query), "key": .string(column)])
        return .object([isNegated ? "$dontSelect" : "$select": selection])
    }
}
