/// The files that a string names by URLs: a URL by itself, or URLs in HTML, Markdown, JSON or other text.
///
/// Where a URL ends in a text cannot be known: a key can contain what the text adds, such as a comma or a Chinese full stop.
/// So every likely end counts, because a key too many only keeps a file, and a key too few loses one.
struct URLKeys {
    /// What follows the two slashes in the beginnings of the app's file URLs, without a slash at their end.
    private let domains: [ArraySlice<UInt8>]
    /// What separates a key from the name of an image style.
    private let styleSeparator: Character

    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")
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
    /// The number of possible ends that are tried, which bounds the work for a text.
    private static let maxCuts = 16

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
        self.styleSeparator = styleSeparator
    }

    /// Calls a function with each possible key: the path of each URL on any host, because files keep their keys when
    /// they move from one server to another, and what follows one of the app's file domains.
    ///
    /// A URL within another one counts, too: `https://cache/https://host/key`, or two with a comma between them. Only the
    /// first of them is read to the end of the text, so the work grows with the length of the text and not faster.
    func each(in text: String, _ body: (FileKey) -> Void) {
        let bytes = URLKeys.withoutEscapedSlashes(text)
        var end = 0
        var next = URLKeys.nextHost(in: bytes, from: 0)
        while let host = next {
            next = URLKeys.nextHost(in: bytes, from: host)
            let isFirst = host >= end
            if isFirst { end = bytes[host...].firstIndex { URLKeys.ends.contains($0) } ?? bytes.endIndex }
            let last = isFirst ? end : min(end, next ?? end)
            add(bytes[host..<min(last, host + URLKeys.maxLength)], body)
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

    /// The place of the next host: behind `://`, or behind two slashes that nothing of a path precedes.
    private static func nextHost(in bytes: [UInt8], from position: Int) -> Int? {
        var position = position
        while let slashes = bytes[position...].firstRange(of: [slash, slash]) {
            let before = slashes.lowerBound > 0 ? bytes[slashes.lowerBound - 1] : nil
            if before.map({ $0 != slash && !$0.isASCIIAlphanumeric }) ?? true { return slashes.upperBound }
            position = slashes.lowerBound + 1
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
            add(path: path, body)
            for cut in URLKeys.cuts(of: path) { add(path: path[..<cut], body) }
        }
    }

    /// The places at which the URL can be over: before separators, where ASCII ends, as in `x.png很好`, and before
    /// punctuation that is not of ASCII.
    private static func cuts(of path: ArraySlice<UInt8>) -> [Int] {
        var cuts: [Int] = []
        var position = path.startIndex
        var isAfterASCII = true
        for scalar in String(decoding: path, as: UTF8.self).unicodeScalars {
            let isCut =
                scalar.isASCII
                ? separators.contains(UInt8(truncatingIfNeeded: scalar.value))
                : isAfterASCII || !scalar.properties.isAlphabetic
            if isCut { cuts.append(position) }
            guard cuts.count < maxCuts else { break }
            position += UTF8.width(scalar)
            isAfterASCII = scalar.isASCII
            // The path can end within a character, which counts as a longer one.
            guard position < path.endIndex else { break }
        }
        return cuts
    }

    private func add(path: ArraySlice<UInt8>, _ body: (FileKey) -> Void) {
        var path = path
        // A full stop after the URL can belong to the sentence, or to the key.
        for _ in 0...URLKeys.maxMarks {
            let text = String(decoding: path, as: UTF8.self)
            addKeys(of: text, body)
            // HTML writes `&` so.
            let parts = text.split(separator: "&amp;", omittingEmptySubsequences: false)
            if parts.count > 1 { addKeys(of: parts.joined(separator: "&"), body) }
            guard let last = path.last, URLKeys.marks.contains(last) else { break }
            path = path.dropLast()
        }
    }

    private func addKeys(of path: String, _ body: (FileKey) -> Void) {
        guard let text = path.percentDecoded else { return }
        if let key = FileKey(text) { body(key) }
        guard let end = text.lastIndex(of: styleSeparator), let key = FileKey(String(text[..<end]))
        else { return }
        body(key)
    }
}
