internal import Domain
internal import Synchronization

/// The field that a connection parsed last, shared by all tests of one row that read it.
final class LastParsed: Sendable {
    private struct Entry {
        let text: [UInt8]
        let value: JSONValue
    }

    private let last = Mutex<Entry?>(nil)

    /// The minimum length for the cache: shorter fields are parsed faster than they are compared.
    private static let shortest = 128

    /// The value of a field, parsed from its JSON text.
    func value(of text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        guard bytes.count >= LastParsed.shortest else { return try LastParsed.parsed(bytes) }
        if let known = last.withLock({ $0?.text == bytes ? $0?.value : nil }) { return known }
        let value = try LastParsed.parsed(bytes)
        last.withLock { $0 = Entry(text: bytes, value: value) }
        return value
    }

    private static func parsed(_ text: [UInt8]) throws -> JSONValue {
        try JSONValue(parsing: text, field: "body", depth: JSONValue.deepestStored)
    }
}
