internal import Domain
internal import HTTPTypes
internal import Hummingbird

/// The bytes that a request selects (RFC 9110 section 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int64>)
    /// At least two ranges with other bytes between them, in the order of the request.
    case parts([Range<Int64>])
    case unsatisfiable

    /// The maximum number of ranges in a request; with more, the whole is selected.
    static let maxRanges = 100

    /// Parses the headers Range and If-Range.
    ///
    /// Other units and malformed ranges select the whole, as RFC 9110 section 14.2 allows.
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
        // A recipient accepts empty list elements (RFC 9110 section 5.6.1.2).
        let entries = text.split(separator: ",").map { $0.withoutBlanks }.filter { !$0.isEmpty }
        guard (1...maxRanges).contains(entries.count) else { return .whole }
        var ranges: [Range<Int64>] = []
        var total: Int64 = 0
        for entry in entries {
            guard let range = range(entry, of: size) else { return .whole }
            guard !range.isEmpty else { continue }
            ranges.append(range)
            total += Int64(range.count)
            // Against clients that request the same bytes many times (RFC 9110 section 17.15).
            guard total <= size else { return .whole }
        }
        ranges = coalesced(ranges)
        switch ranges.count {
        case 0: return .unsatisfiable
        case 1: return .part(ranges[0])
        default: return .parts(ranges)
        }
    }

    /// Parses one range: empty if the representation has none of its bytes, `nil` if it is malformed.
    private static func range(_ text: Substring, of size: Int64) -> Range<Int64>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
        else { return nil }
        switch (number(ends[0]), number(ends[1])) {
        case (nil, nil):
            return nil
        case (nil, let suffix?):
            return max(0, size - suffix)..<size
        case (let first?, let last):
            guard last.map({ $0 >= first }) ?? true else { return nil }
            guard first < size else { return size..<size }
            return first..<min(size - 1, last ?? .max) + 1
        }
    }

    /// Unites ranges that overlap or touch; the result of a union is at the position of its first range.
    private static func coalesced(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges {
            var union = range
            var position = result.count
            for index in result.indices.reversed()
            where result[index].lowerBound <= range.upperBound && range.lowerBound <= result[index].upperBound {
                let other = result.remove(at: index)
                union = min(union.lowerBound, other.lowerBound)..<max(union.upperBound, other.upperBound)
                position = index
            }
            result.insert(union, at: position)
        }
        return result
    }

    /// Parses digits, with the largest number as the limit; `nil` for an empty string.
    private static func number(_ digits: Substring) -> Int64? {
        digits.isEmpty ? nil : Int64(digits) ?? .max
    }
}

extension Substring {
    /// The string without the blanks around an element of a list (RFC 9110 section 5.6.1).
    var withoutBlanks: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...end]
    }
}
