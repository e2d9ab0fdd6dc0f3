internal import Domain
internal import HummingbirdCore

/// The parameters of a request on objects: from a query string, or from `params` in a batch, where a condition can be
/// JSON and a flag a boolean (protocol/data 2.1, 4).
///
/// Unknown names, and names with an empty value or `null`, are ignored; ``ParameterWarnings`` tells the client of names
/// that are probably misspelt.
struct ObjectParameters {
    /// All names that a request can have.
    static let names = [
        "where", "order", "limit", "skip", "count", "keys", "include", "returnACL", "redirectClassNameForKey",
        "fetchWhenSave", "new", "failOnNotExist", "cql", "pvalues", "explain", "scan_key", "cursor",
        "owner", "inboxType", "sinceId", "maxId", "messageId",
    ]

    private let values: [String: JSONValue]

    /// Reads the `params` of a batch item.
    init(json: [String: JSONValue]) {
        values = json
    }

    /// Parses a query string, in which a plus sign can stand for a space.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` for a value that is not percent-encoded UTF-8.
    init(query: String?) throws {
        var values: [String: JSONValue] = [:]
        // Bytes, because splitting and replacing characters takes several times as long.
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map(Substring.init)
            guard let name = parts.first?.percentDecoded, parts.count == 2 else { continue }
            guard let value = parts[1].withSpaces.percentDecoded else {
                throw ServiceError(.malformedJSON, "'\(name.prefix(64))' is not percent-encoded UTF-8.")
            }
            values[name] = .string(value)
        }
        self.values = values
    }

    init(_ request: Request) throws {
        try self.init(query: request.uri.query)
    }

    /// The parameters of a batch item whose path has this query string.
    ///
    /// A value of `params` replaces that of the query string; `null` and an empty string do not, because they count as
    /// missing, and a condition must not get lost.
    func replacingValues(by params: [String: JSONValue]) -> ObjectParameters {
        ObjectParameters(json: values.merging(params) { query, param in param == .null || param == "" ? query : param })
    }

    /// A parameter as JSON: text of a query string stays a string.
    func json(_ name: String) -> JSONValue? { values[name] }

    /// The names that the request has, sorted.
    var givenNames: [String] { values.keys.sorted() }

    /// All parameters as the members of a body.
    var body: [String: JSONValue] { values }

    /// A parameter as a string; `nil` if it is missing.
    func text(_ name: String) -> String? {
        switch values[name] {
        case nil, .null?: nil
        case .string(let text)?: text.isEmpty || text == "null" ? nil : text
        case let value?: String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    /// Whether a flag is `1` or `true`.
    func flag(_ name: String) -> Bool {
        ["1", "true"].contains(text(name))
    }

    /// A whole number, which can be a string.
    func number(_ name: String) throws -> Int? {
        guard let text = text(name) else { return nil }
        // Some languages have only doubles.
        guard let number = Int(text.hasSuffix(".0") ? text.dropLast(2) : text[...]) else {
            throw ServiceError(.badRequest, "\(name) must be a whole number.")
        }
        return number
    }

    /// The condition in `where`; `nil` without one.
    func condition(_ limits: QueryLimits, _ engine: any PatternEngine) throws -> Condition? {
        guard var json = values["where"], json != .null, json != "" else { return nil }
        if let text = json.stringValue {
            json = try JSONValue(parsing: Array(text.utf8), field: "where", values: JSONValue.maxValues)
        }
        guard json != .null else { return nil }
        var parser = ConditionParser(limits: limits, engine: engine)
        return try parser.parse(json)
    }

    var page: Page {
        get throws { try Page(limit: number("limit"), skip: number("skip")) }
    }

    /// The id after which a page begins, which the page before gave as its `cursor`; `nil` for the first page.
    func cursor() throws -> ObjectID? {
        guard let text = text("cursor") else { return nil }
        guard let id = ObjectID(text) else { throw ServiceError(.badRequest, "cursor must come from an earlier page.") }
        return id
    }

    var view: ObjectView {
        ObjectView(include: text("include") ?? "", keys: text("keys") ?? "", returnsACL: flag("returnACL"))
    }

    /// Whether the response to a change contains the object: `new` in JavaScript, `fetchWhenSave` in all other SDKs.
    var returnsObject: Bool { flag("fetchWhenSave") || flag("new") }
}

extension Substring {
    /// The string with a space for each plus sign.
    fileprivate var withSpaces: String {
        let plus = UInt8(ascii: "+")
        guard utf8.contains(plus) else { return String(self) }
        return String(decoding: utf8.map { $0 == plus ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
