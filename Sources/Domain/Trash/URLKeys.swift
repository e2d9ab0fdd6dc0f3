/// The files that a string names by URLs: a URL by itself, or URLs in HTML, Markdown, JSON or other text.
///
/// Where a URL ends in a text cannot be known: a key can contain what the text adds, such as a comma or a Chinese full stop.
/// So every likely end counts: an extra key only retains a file, a missing key loses one.
struct URLKeys {
    /// What follows the two slashes in the beginnings of the app's file URLs, without a slash at their end.
    private let domains: [ArraySlice<UInt8>]
    /// What separates a key from the name of an image style.
    private let styleSeparator: [UInt8]

    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")
    private static let percent = UInt8(ascii: "%")
    private static let ampersand = UInt8(ascii: "&")
    /// HTML writes `&` so.
    private static let escapedAmpersand = Array("&amp;".utf8)
    /// Characters that no URL contains, also not in a text; those that a key can contain are percent-encoded there.
    private static let ends = Set(" \t\r\n\"'<>\\^`{|}?#".utf8)
    /// Characters of ASCII in a URL that can belong to the text behind it instead.
    private static let separators = Set(",;:&()[]!*=@$".utf8)
    /// Characters that a text adds after a URL.
    private static let marks = Set(".,;:!)]*_".utf8)
    /// The maximum length of a URL without its scheme: a key whose bytes are all encoded, and what is before it.
    private static let maxLength = FileKey.maxLength * 4
    /// The number of marks that can follow a URL.
    private static let maxMarks = 4
    /// The number of possible ends that are tried at the beginning of a path, and at its end; it bounds the work.
    private static let maxCuts = 8

    /// Creates the search.
    ///
    /// - Parameters:
    ///   - fileDomains: The beginnings of the app's file URLs, without a slash at their end.
    ///   - styleSeparator: What separates a key from the name of an image style.
    init(fileDomains: [String], styleSeparator: Character) {
        domains = fileDomains.map { domain in
            let bytes = Array(domain.utf8)
            return bytes[(bytes.firstRange(of: [URLKeys.slash, URLKeys.slash])?.upperBound ?? 0)...]
        }
        self.styleSeparator = Array(String(styleSeparator).utf8)
    }

    /// Calls a function with each possible key: the path of each URL on any host, because files keep their keys when
    /// they move from one server to another, and what follows one of the app's file domains.
    ///
    /// A URL within another one counts, too: `https://cache/https://host/key`, or two with a comma between them. Each is
    /// read up to the next host, because no key contains two slashes in a row.
    func each(in text: String, _ body: (FileKey) -> Void) {
        let bytes = URLKeys.withoutEscapedSlashes(text)
        var end = 0
        var next = URLKeys.nextHost(in: bytes, from: 0)
        while let host = next {
            next = URLKeys.nextHost(in: bytes, from: host)
            if host >= end { end = bytes[host...].firstIndex { URLKeys.ends.contains($0) } ?? bytes.endIndex }
            add(bytes[host..<min(end, next ?? end, host + URLKeys.maxLength)], body)
        }
    }

    /// The bytes of a text with `/` for each `\/`, as strings of JSON can have them.
    private static func withoutEscapedSlashes(_ text: String) -> [UInt8] {
        guard text.utf8.contains(backslash) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == slash { while bytes.last == backslash { bytes.removeLast() } }
            bytes.append(byte)
        }
        return bytes
    }

    /// The offset of the next host: after `//` at the beginning, or after `//` that follows neither a slash nor an ASCII
    /// letter or digit.
    private static func nextHost(in bytes: [UInt8], from position: Int) -> Int? {
        // `firstRange(of:)` takes about a microsecond for each byte, which is too long for strings of many slashes.
        var position = position
        while position + 1 < bytes.count {
            if bytes[position] == slash, bytes[position + 1] == slash {
                let before = position > 0 ? bytes[position - 1] : nil
                if before.map({ $0 != slash && !$0.isASCIIAlphanumeric }) ?? true { return position + 2 }
            }
            position += 1
        }
        return nil
    }

    private func add(_ url: ArraySlice<UInt8>, _ body: (FileKey) -> Void) {
        guard let slash = url.firstIndex(of: URLKeys.slash) else { return }
        var paths = [url[(slash + 1)...]]
        for domain in domains where url.starts(with: domain) {
            let rest = url.dropFirst(domain.count)
            if rest.first == URLKeys.slash { paths.append(rest.dropFirst()) }
        }
        for path in paths {
            let ends = URLKeys.likelyEnds(of: path)
            addKeys(of: path, endingAt: ends, asHTML: false, body)
            guard path.contains(URLKeys.ampersand), path.firstRange(of: URLKeys.escapedAmpersand) != nil else {
                continue
            }
            addKeys(of: path, endingAt: ends, asHTML: true, body)
        }
    }

    /// The end of a path, its cuts, and the offsets before marks there, in order and each once.
    private static func likelyEnds(of path: ArraySlice<UInt8>) -> [Int] {
        var ends: Set<Int> = []
        for cut in cuts(of: path) + [path.endIndex] {
            var end = cut
            ends.insert(end)
            // A full stop after the URL can belong to the sentence, or to the key.
            for _ in 0..<maxMarks {
                guard end > path.startIndex, marks.contains(path[end - 1]) else { break }
                // A cut is before each separator already.
                guard cut == path.endIndex || !separators.contains(path[end - 1]) else { break }
                end -= 1
                ends.insert(end)
            }
        }
        return ends.sorted()
    }

    /// The offsets at which the URL can end: before separators, where ASCII ends, as in `x.png很好`, and before punctuation
    /// that is not of ASCII; the first and the last of them.
    private static func cuts(of path: ArraySlice<UInt8>) -> [Int] {
        var cuts: [Int] = []
        var position = path.startIndex
        var isAfterASCII = true
        for scalar in String(decoding: path, as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                if separators.contains(UInt8(truncatingIfNeeded: scalar.value)) { cuts.append(position) }
                isAfterASCII = true
            } else if !scalar.isMark {
                if isAfterASCII || !scalar.properties.isAlphabetic { cuts.append(position) }
                isAfterASCII = false
            }
            position += UTF8.width(scalar)
            // The path can end within a character, which counts as a longer one.
            guard position < path.endIndex else { break }
        }
        return Array(cuts.prefix(maxCuts)) + cuts.dropFirst(maxCuts).suffix(maxCuts)
    }

    /// Adds the keys that a path can mean, up to each of its ends; it is decoded once.
    private func addKeys(
        of path: ArraySlice<UInt8>,
        endingAt ends: [Int],
        asHTML isHTML: Bool,
        _ body: (FileKey) -> Void
    ) {
        var decoded: [UInt8] = []
        var keyOfStyle: Int?
        var position = path.startIndex
        for end in ends {
            while position < end {
                guard let next = URLKeys.decode(path[position...], asHTML: isHTML, into: &decoded) else { return }
                position = next
                if decoded.suffix(styleSeparator.count) == styleSeparator[...] {
                    keyOfStyle = decoded.count - styleSeparator.count
                }
            }
            // Otherwise the end is within an encoded character.
            guard position == end else { continue }
            URLKeys.add(decoded[...], body)
            if let length = keyOfStyle { URLKeys.add(decoded[..<length], body) }
            keyOfStyle = nil
        }
    }

    /// Appends the first character of a path, decoded; returns what is behind it, `nil` if it is no percent-encoding.
    private static func decode(_ path: ArraySlice<UInt8>, asHTML isHTML: Bool, into decoded: inout [UInt8]) -> Int? {
        let start = path.startIndex
        switch path[start] {
        case percent:
            guard path.count > 2, let high = hexadecimalValue(path[start + 1]),
                let low = hexadecimalValue(path[start + 2])
            else { return nil }
            decoded.append(high << 4 | low)
            return start + 3
        case ampersand where isHTML && path.starts(with: escapedAmpersand):
            decoded.append(ampersand)
            return start + escapedAmpersand.count
        default:
            decoded.append(path[start])
            return start + 1
        }
    }

    private static func add(_ bytes: ArraySlice<UInt8>, _ body: (FileKey) -> Void) {
        guard bytes.count <= FileKey.maxLength, let text = String(validating: bytes, as: UTF8.self) else { return }
        if let key = FileKey(text) { body(key) }
    }
}

extension Unicode.Scalar {
    /// Whether it belongs to the character before it, as an accent does (general category M).
    fileprivate var isMark: Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
    }
}
