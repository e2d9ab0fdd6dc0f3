internal import Domain

/// A strong validator (RFC 9110 section 8.8.3): equal tags mean equal bytes.
struct EntityTag: CustomStringConvertible {
    /// The tag with its quotes.
    let description: String

    init(strong text: String) {
        description = "\"\(text)\""
    }

    /// - Parameter quoted: The value of an `ETag` field of this server, with its quotes.
    init(quoted: String) {
        description = quoted
    }

    /// How tags are compared (RFC 9110 section 8.8.3.2).
    enum Comparison {
        /// A weak tag matches no tag.
        case strong
        /// The prefix for weak tags is ignored.
        case weak
    }

    /// Whether a list of tags, or `*`, names this one (RFC 9110 sections 13.1.1, 13.1.2).
    ///
    /// Several lines of the same header are one list. Entries that follow a malformed one are not read.
    func isAmong(_ list: String, comparison: Comparison) -> Bool {
        // Almost all clients send one of these, and comparing strings is faster than parsing tags.
        if list == "*" || list == description { return true }
        var rest = list.utf8[...]
        while true {
            // A recipient accepts empty list elements (RFC 9110 section 5.6.1.2).
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            // A tag can contain commas and spaces, but no quotes.
            guard rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return false }
            let entry = rest[...end]
            rest = rest[end...].dropFirst().drop(while: \.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return false }
            if comparison == .weak || !isWeak, entry.elementsEqual(description.utf8) { return true }
        }
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Timestamp {
    /// Whether an HTTP date, in any of its forms, is this time in whole seconds.
    func isNamed(by date: String?) -> Bool {
        guard let date else { return false }
        return date == httpDate || Timestamp(httpDate: date)?.wholeSeconds == wholeSeconds
    }
}
