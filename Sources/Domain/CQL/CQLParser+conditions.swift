extension CQLParser {
    /// Parses a condition; AND binds tighter than OR.
    mutating func condition() throws -> CQLCondition {
        var parts = [try conjunction()]
        while take("or") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws -> CQLCondition {
        var parts: [CQLCondition] = []
        repeat {
            let term = try term()
            // (a AND b) AND c is the list a, b, c.
            if case .all(let inner) = term { parts += inner } else { parts.append(term) }
        } while take("and")
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func term() throws -> CQLCondition {
        if current.isSymbol("(") {
            return try nested { parser in
                parser.advance()
                let condition = try parser.condition()
                try parser.require(symbol: ")")
                return condition
            }
        }
        if current.isWord("related"), case .word = peek().kind, peek(2).isWord("to") {
            advance()
            let key = try name(of: "a field")
            advance()
            return .related(key: key, to: try value())
        }
        if current.isWord("size"), peek().isSymbol("(") {
            advance()
            advance()
            let field = try name(of: "a field")
            try require(symbol: ")")
            try require(symbol: "=")
            return .field(field, .size(try value()))
        }
        let field = try name(of: "a condition")
        return .field(field, try test())
    }

    private mutating func test() throws -> CQLTest {
        if case .symbol(let symbol) = current.kind, let name = CQLParser.comparisons[symbol] {
            advance()
            guard current.isSymbol("("), ["=", "!=", "<>"].contains(symbol) else {
                let value = try value()
                return name.isEmpty ? .equals(value) : .compares(name, value)
            }
            return .isFound(by: try subquery(), negated: symbol != "=")
        }
        if take("is") {
            let isNegated = take("not")
            try require("exists")
            return .exists(!isNegated)
        }
        if take("all") { return .equals(try list()) }
        if take("near") { return try near() }
        if take("within") {
            let corner = try value()
            try require("and")
            return .within(southWest: corner, northEast: try value())
        }
        let isNegated = take("not")
        if take("in") {
            if current.isSymbol("("), peek().isWord("select") {
                return .isFound(by: try subquery(), negated: isNegated)
            }
            return .isIn(try list(), negated: isNegated)
        }
        let isLike = current.isWord("like")
        guard isLike || current.isWord("regexp") else {
            throw expected(isNegated ? "LIKE, REGEXP or IN" : "an operator")
        }
        advance()
        return .matches(.string(try string()), negated: isNegated, isLike: isLike)
    }

    /// The operators of REST for the signs of CQL; the empty one is equality.
    private static let comparisons = [
        "=": "", "!=": "$ne", "<>": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte",
    ]

    private mutating func subquery() throws -> CQLSelection {
        try nested { parser in
            try parser.require(symbol: "(")
            let token = parser.current
            try parser.require("select")
            let selection = try parser.selection()
            guard selection.columns.count <= 1, selection.includes.isEmpty, !selection.counts else {
                throw token.refusal("a sub-query selects one field, or '*'")
            }
            try parser.require(symbol: ")")
            return selection
        }
    }

    /// Parses the values of IN or ALL; one placeholder can stand for the whole list.
    private mutating func list() throws -> JSONValue {
        let token = current
        if take(symbol: "?") {
            let list = try placeholder(token)
            guard list.arrayValue != nil else { throw token.refusal("the value of this '?' must be an array") }
            return list
        }
        try require(symbol: "(")
        var elements: [JSONValue] = []
        repeat { elements.append(try value()) } while take(symbol: ",")
        try require(symbol: ")")
        return .array(elements)
    }

    private mutating func near() throws -> CQLTest {
        let center = try value()
        var distances: [String: JSONValue] = [:]
        for bound in ["min", "max"] where take(bound) {
            let distance = try value()
            let unit = CQLParser.units.first { take($0.word) }
            distances["$\(bound)DistanceIn\(unit?.suffix ?? "Radians")"] = distance
        }
        return .near(center, distances: distances)
    }

    private static let units = [
        (word: "km", suffix: "Kilometers"), (word: "miles", suffix: "Miles"), (word: "radians", suffix: "Radians"),
    ]
}
