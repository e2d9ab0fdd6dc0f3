extension CQLParser {
    /// Parses a SELECT after its first keyword.
    mutating func selection() throws -> CQLSelection {
        var selection = CQLSelection()
        var showsAll = false
        repeat { try column(of: &selection, showsAll: &showsAll) } while take(symbol: ",")
        selection.showsObjects = showsAll || !selection.columns.isEmpty || !selection.includes.isEmpty
        if showsAll { selection.columns = [] }
        try require("from")
        selection.className = try name(of: "a class")
        if take("where") { selection.condition = try condition() }
        // Apps write ORDER BY before LIMIT, too, as in SQL (protocol/data 4.7).
        while true {
            if selection.limit == nil, take("limit") {
                selection.limit = try wholeNumber()
                if take(symbol: ",") {
                    selection.skip = selection.limit
                    selection.limit = try wholeNumber()
                }
            } else if selection.order.isEmpty, take("order") {
                try require("by")
                selection.order = try order()
            } else {
                return selection
            }
        }
    }

    private mutating func column(of selection: inout CQLSelection, showsAll: inout Bool) throws {
        if take(symbol: "*") {
            showsAll = true
        } else if current.isWord("count"), peek().isSymbol("(") {
            advance()
            advance()
            guard current.isSymbol("*") || current.kind == .word("objectId") else {
                throw expected("'*' or objectId: no other field can be counted")
            }
            advance()
            try require(symbol: ")")
            selection.counts = true
        } else if current.isWord("include"), case .word = peek().kind, !peek().isWord("from") {
            advance()
            selection.includes.append(try name(of: "a field"))
        } else if current.isWord("from") {
            throw expected("a field, '*', COUNT or INCLUDE")
        } else {
            selection.columns.append(try name(of: "a field, '*', COUNT or INCLUDE"))
            if current.isSymbol("(") { throw expected("',' or FROM: COUNT is the only function of columns") }
        }
    }

    private mutating func order() throws -> String {
        var keys: [(name: String, isDescending: Bool?)] = []
        var last = false
        repeat {
            let hasSign = current.isSymbol("-") || current.isSymbol("+")
            var isDescending = hasSign ? current.isSymbol("-") : nil
            if hasSign { advance() }
            let name = try name(of: "a field")
            if current.isWord("asc") || current.isWord("desc") {
                last = current.isWord("desc")
                isDescending = isDescending ?? last
                advance()
            } else {
                last = false
            }
            keys.append((name, isDescending))
        } while take(symbol: ",")
        return keys.map { ($0.isDescending ?? last ? "-" : "") + $0.name }.joined(separator: ",")
    }

    /// Parses an INSERT after its first keyword.
    mutating func insertion() throws -> CQLStatement {
        try require("into")
        let className = try name(of: "a class")
        try require(symbol: "(")
        var fields: [String] = []
        var known: Set<String> = []
        repeat {
            let token = current
            fields.append(try name(of: "a field"))
            guard known.insert(fields[fields.count - 1]).inserted else { throw token.refusal("the field occurs twice") }
        } while take(symbol: ",")
        try require(symbol: ")")
        try require("values")
        var rows: [[String: JSONValue]] = []
        repeat {
            try require(symbol: "(")
            var row: [String: JSONValue] = [:]
            for (index, field) in fields.enumerated() {
                if index > 0 { try require(symbol: ",") }
                row[field] = try value()
            }
            try require(symbol: ")")
            rows.append(row)
        } while take(symbol: ",")
        return .insert(into: className, rows: rows)
    }

    /// Parses an UPDATE after its first keyword.
    mutating func update() throws -> CQLStatement {
        let className = try name(of: "a class")
        try require("set")
        var values: [String: JSONValue] = [:]
        repeat {
            let token = current
            let field = try name(of: "a field")
            try require(symbol: "=")
            guard values.updateValue(try value(), forKey: field) == nil else {
                throw token.refusal("the field occurs twice")
            }
        } while take(symbol: ",")
        let (id, condition) = try objectCondition()
        return .update(className, id: id, values: values, where: condition)
    }

    /// Parses a DELETE after its first keyword.
    mutating func deletion() throws -> CQLStatement {
        try require("from")
        let className = try name(of: "a class")
        let (id, condition) = try objectCondition()
        return .delete(from: className, id: id, where: condition)
    }

    /// Parses the WHERE of a change: the id of the object, and the other terms.
    private mutating func objectCondition() throws -> (id: String, others: CQLCondition?) {
        let start = current
        try require("where")
        let condition = try condition()
        var terms = [condition]
        if case .all(let parts) = condition { terms = parts }
        for (index, term) in terms.enumerated() {
            guard case .field("objectId", .equals(.string(let id))) = term else { continue }
            terms.remove(at: index)
            return (id, terms.isEmpty ? nil : terms.count == 1 ? terms[0] : .all(terms))
        }
        throw start.refusal("UPDATE and DELETE change one object: the condition must have objectId = a string")
    }
}
