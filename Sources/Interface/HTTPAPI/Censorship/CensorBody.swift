internal import Domain

/// The body of a request of censorship: a JSON object with few strings.
struct CensorBody {
    let members: [String: JSONValue]

    /// - Throws: ``ServiceError/Code/malformedJSON`` for anything but an object; no body counts as an empty one.
    init(_ json: JSONValue) throws {
        guard let members = json == .null ? [:] : json.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        self.members = members
    }

    /// A string; `nil` if it is missing or something else.
    func text(_ name: String) -> String? { members[name]?.stringValue }

    /// An optional string.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for another value, or one over the limit in bytes.
    func text(_ name: String, limit: Int) throws -> String? {
        guard let value = members[name], value != .null else { return nil }
        guard let text = value.stringValue, text.utf8.count <= limit else {
            throw ServiceError(.badRequest, "\(name) must be a string of at most \(limit) bytes.")
        }
        return text
    }

    /// Who sends the request, for the log.
    func name() throws -> String? { try text("by", limit: 128) }

    /// A time in ISO 8601.
    func time(_ name: String) throws -> Timestamp {
        guard let time = text(name).flatMap(Timestamp.init(iso8601:)) else {
            throw ServiceError(.badRequest, "\(name) must be a time such as 2026-01-31T08:00:00.000Z.")
        }
        return time
    }
}

extension ObjectParameters {
    /// A time in ISO 8601; `nil` if it is missing.
    func time(_ name: String) throws -> Timestamp? {
        guard let text = text(name) else { return nil }
        return try CensorBody(.object([name: .string(text)])).time(name)
    }

    /// The number of entries of a page.
    func pageLimit() throws -> Int {
        let (most, usual) = CensorService.pageLimit
        guard let limit = try number("limit") else { return usual }
        guard (1...most).contains(limit) else {
            throw ServiceError(.badRequest, "limit must be from 1 to \(most).")
        }
        return limit
    }
}

/// A time range.
enum CensorRange {
    /// Throws ``ServiceError/Code/badRequest`` unless the first time comes before the second.
    static func check(_ from: Timestamp?, _ to: Timestamp?) throws {
        if let from, let to, from >= to { throw ServiceError(.badRequest, "from must be before to.") }
    }
}
