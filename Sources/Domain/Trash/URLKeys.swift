/// The files that a string names by URLs: a URL by itself, or URLs in HTML, Markdown or other text.
struct URLKeys {
    /// The beginnings of the app's file URLs, without a slash at their end.
    let fileDomains: [String]
    /// What separates a key from the name of an image style.
    let styleSeparator: Character

    private static let scheme = Array("://".utf8)
    /// Characters that end a URL in a text; those that a URL can contain are percent-encoded there.
    private static let ends = Set(" \t\r\n\"'<>\\^`{|}?#".utf8)
    /// Characters that a text adds after a URL.
    private static let marks = Set(".,;:!)]*_".utf8)
    /// The maximum length of a URL: a key whose bytes are all encoded, and what is before it.
    private static let maxLength = FileKey.maxLength * 4
    /// The number of marks that can follow a URL.
    private static let maxMarks = 4

    /// Calls a function with each possible key: the path of each URL on any host, because files keep their keys when
    /// they move from one server to another, and what follows one of the app's file domains.
    func each(in text: String, _ body: (FileKey) -> Void) {
        let bytes = Array(text.utf8)
        var position = 0
        while let scheme = bytes[position...].firstRange(of: URLKeys.scheme) {
            let end = bytes[scheme.upperBound...].firstIndex { URLKeys.ends.contains($0) } ?? bytes.endIndex
            let start = bytes[position..<scheme.lowerBound].lastIndex { !$0.isASCIIAlphanumeric }.map { $0 + 1 }
            add(bytes[(start ?? position)..<end], host: scheme.upperBound, body)
            position = end
        }
    }

    private func add(_ url: ArraySlice<UInt8>, host: Int, _ body: (FileKey) -> Void) {
        guard url.count <= URLKeys.maxLength, let slash = url[host...].firstIndex(of: UInt8(ascii: "/")) else { return }
        var paths = [url[(slash + 1)...]]
        for domain in fileDomains where url.starts(with: domain.utf8) {
            let rest = url.dropFirst(domain.utf8.count)
            if rest.first == UInt8(ascii: "/") { paths.append(rest.dropFirst()) }
        }
        for var path in paths {
            // A full stop after the URL can belong to the sentence, or to the key.
            for _ in 0...URLKeys.maxMarks {
                addKeys(of: String(decoding: path, as: UTF8.self), body)
                guard let last = path.last, URLKeys.marks.contains(last) else { break }
                path = path.dropLast()
            }
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
