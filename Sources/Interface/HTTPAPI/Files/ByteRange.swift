internal import Domain
internal import HTTPTypes
internal import Hummingbird

/// The range of bytes that a request selects (RFC 9110 section 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    /// Parses the headers Range and If-Range.
    ///
    /// Several ranges, other units and malformed ranges select the whole, as the RFC allows.
    ///
    /// - Parameters:
    ///   - headers: The request's headers.
    ///   - size: The size of the representation in bytes.
    ///   - tag: The entity tag for If-Range.
    ///   - modified: The date for If-Range; `nil` if different bytes can have the same date.
    init(_ headers: HTTPFields, of size: Int64, tag: EntityTag, modified: Timestamp?) {
        guard let text = headers[.range], text.lowercased().hasPrefix("bytes=") else {
            self = .whole
            return
        }
        if let condition = headers[.ifRange], condition != tag.description, modified?.isNamed(by: condition) != true {
            self = .whole
            return
        }
        self = ByteRange.parse(text.dropFirst("bytes=".count), of: size)
    }

    private static func parse(_ text: Substring, of size: Int64) -> ByteRange {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
        else { return .whole }
        switch (number(ends[0]), number(ends[1])) {
        case (nil, nil):
            return .whole
        case (nil, let suffix?):
            guard suffix > 0, size > 0 else { return .unsatisfiable }
            return .part(max(0, size - suffix)..<size)
        case (let first?, let last):
            guard last.map({ $0 >= first }) ?? true else { return .whole }
            guard first < size else { return .unsatisfiable }
            return .part(first..<min(size - 1, last ?? .max) + 1)
        }
    }

    /// Parses digits, with the largest number as the limit; `nil` for an empty string.
    private static func number(_ digits: Substring) -> Int64? {
        digits.isEmpty ? nil : Int64(digits) ?? .max
    }
}
