internal import Domain
internal import NIOCore

/// The body of a tunnelled request as text, with the ranges of the members that are not part of the real body.
struct TunnelBody {
    private let body: JSONBody
    /// The ranges of the values of the tunnel's own members.
    private var own: [String: Range<Int>] = [:]
    /// The ranges to remove from the text: those members, each with one comma.
    private var removed: [Range<Int>] = []

    /// The maximum length of a member that becomes a header.
    private static let maxLength = 4096

    /// Scans a body.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON``.
    init(_ body: JSONBody) throws {
        self.body = body
        try body.withText { text in try scan(text) }
    }

    private mutating func scan(_ text: UnsafeBufferPointer<UInt8>) throws {
        var scanner = JSONScanner(text, field: "The body")
        guard scanner.enter("{") else { throw ServiceError(.malformedJSON, "The body is not a JSON object.") }
        var keepsSome = false
        while let name = try scanner.nextName() {
            let value = try scanner.skipValue()
            let isOwn = ObjectChange.tunnelFields.contains(name.text)
            if isOwn {
                guard own.updateValue(value, forKey: name.text) == nil else {
                    throw ServiceError(.malformedJSON, "The member '\(name.text)' of the body occurs twice.")
                }
                removed.append((name.comma ?? name.start)..<value.upperBound)
            } else if let comma = name.comma, !keepsSome {
                // The first remaining member needs no comma before it.
                removed.append(comma..<comma + 1)
            }
            keepsSome = keepsSome || !isOwn
        }
        try scanner.requireEnd()
    }

    /// One of the tunnel's own members; `nil` if it is missing or not a string.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if it is longer than the limit for a header.
    func text(_ name: String) throws -> String? {
        guard let range = own[name] else { return nil }
        return try body.withText { text in
            guard text[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
            guard range.count <= TunnelBody.maxLength else {
                throw ServiceError(.badRequest, "\(name) is longer than \(TunnelBody.maxLength) bytes.")
            }
            return try JSONValue.parse(text, in: range, field: "The body", values: 1).value.stringValue
        }
    }

    /// The real body: the text with spaces in place of the removed members, so that nothing is copied or moved.
    consuming func rest() -> ByteBuffer {
        var rest = body.text
        for range in removed {
            rest.setRepeatingByte(UInt8(ascii: " "), count: range.count, at: rest.readerIndex + range.lowerBound)
        }
        return rest
    }

    /// The real body's members as a query string.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` if a member occurs twice.
    func query() throws -> String {
        try body.withText { text in
            var scanner = JSONScanner(text, field: "The body")
            _ = scanner.enter("{")
            var names: Set<String> = []
            var query = ""
            while let name = try scanner.nextName() {
                let range = try scanner.skipValue()
                guard !ObjectChange.tunnelFields.contains(name.text) else { continue }
                guard names.insert(name.text).inserted else {
                    throw ServiceError(.malformedJSON, "The member '\(name.text.prefix(64))' of the body occurs twice.")
                }
                if !query.isEmpty { query += "&" }
                query += "\(name.text.percentEncodedPath)=\(try parameter(at: range, in: text).percentEncodedPath)"
            }
            return query
        }
    }

    /// A member's value as a parameter; conditions are parsed after authentication, so their text is used unchanged.
    private func parameter(at range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) throws -> String {
        guard text[range.lowerBound] != UInt8(ascii: "{"), text[range.lowerBound] != UInt8(ascii: "[") else {
            return String(decoding: text[range], as: UTF8.self)
        }
        let value = try JSONValue.parse(text, in: range, field: "The body", values: 1).value
        return value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
    }
}
