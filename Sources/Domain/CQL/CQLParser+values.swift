extension CQLParser {
    /// Parses a value: a literal, a placeholder or a function.
    mutating func value() throws -> JSONValue {
        let token = current
        switch token.kind {
        case .symbol("?"):
            advance()
            return try placeholder(token)
        case .symbol("["): return try nested { try $0.array() }
        case .symbol("{"): return try nested { try $0.object() }
        case .symbol("+"), .symbol("-"), .number: return try number()
        case .string(let text):
            advance()
            return .string(text)
        case .word where peek().isSymbol("("): return try nested { try $0.function() }
        case .word:
            if take("true") { return .bool(true) }
            if take("false") { return .bool(false) }
            if take("null") { return .null }
            throw expected("a value (strings need quotes)")
        case .symbol, .end: throw expected("a value")
        }
    }

    /// Parses a string, or a placeholder for one.
    mutating func string() throws -> String {
        let token = current
        guard let string = try value().stringValue else { throw token.refusal("the value must be a string") }
        return string
    }

    /// Parses a whole number, or a placeholder for one, which can be a string.
    mutating func wholeNumber() throws -> Int {
        let token = current
        let value = try value()
        guard let number = value.integerValue ?? value.stringValue.flatMap({ Int64($0) }) else {
            throw token.refusal("the value must be a whole number")
        }
        return Int(number)
    }

    private mutating func number() throws -> JSONValue {
        let start = current
        let isNegative = current.isSymbol("-")
        if isNegative || current.isSymbol("+") { advance() }
        guard case .number(let digits) = current.kind else { throw expected("a number") }
        advance()
        let text = (isNegative ? "-" : "") + digits
        if let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw start.refusal("the number is too large") }
        return .number(number)
    }

    private mutating func array() throws -> JSONValue {
        advance()
        if take(symbol: "]") { return .array([]) }
        var elements: [JSONValue] = []
        repeat { elements.append(try value()) } while take(symbol: ",")
        try require(symbol: "]")
        return .array(elements)
    }

    private mutating func object() throws -> JSONValue {
        advance()
        if take(symbol: "}") { return .object([:]) }
        var members: [String: JSONValue] = [:]
        repeat {
            let token = current
            let name = try memberName()
            try require(symbol: ":")
            guard members.updateValue(try value(), forKey: name) == nil else {
                throw token.refusal("the member occurs twice")
            }
        } while take(symbol: ",")
        try require(symbol: "}")
        return .object(members)
    }

    private mutating func memberName() throws -> String {
        guard case .string(let name) = current.kind else { return try name(of: "the name of a member") }
        advance()
        return name
    }

    private mutating func function() throws -> JSONValue {
        let token = current
        let function = try name(of: "a function").lowercased()
        try require(symbol: "(")
        let value: JSONValue
        switch function {
        case "date":
            value = .object(["__type": "Date", "iso": .string(try string())])
        case "pointer":
            let className = try string()
            try require(symbol: ",")
            let id = try string()
            value = .object(["__type": "Pointer", "className": .string(className), "objectId": .string(id)])
        case "geopoint":
            let longitude = try self.value()
            try require(symbol: ",")
            value = .object(["__type": "GeoPoint", "longitude": longitude, "latitude": try self.value()])
        case "file":
            value = .object(["__type": "File", "id": .string(try string())])
        case "base64":
            value = .object(["__type": "Bytes", "base64": .string(try string())])
        case "current_timestamp":
            value = .date(now)
        case "op":
            value = try operation()
        default:
            throw token.refusal("no function has the name '\(function.prefix(32))'")
        }
        try require(symbol: ")")
        return value
    }

    /// The arguments of `op('Increment', {"amount":1})` as an operation of REST.
    private mutating func operation() throws -> JSONValue {
        let name = try string()
        var members: [String: JSONValue] = [:]
        if take(symbol: ",") {
            let token = current
            guard let parameters = try value().objectValue else { throw token.refusal("the value must be an object") }
            members = parameters
        }
        members["__op"] = .string(name)
        return .object(members)
    }
}
