internal import Domain

/// Maps file name extensions to media types, from a table in the form of `/etc/mime.types`.
///
/// Debian's package `media-types` maintains that table; a line contains a type and its extensions. If an extension
/// occurs twice, the first line wins.
struct ExtensionTable: Sendable {
    private let types: [String: Substring]

    init(parsing text: String) {
        var types: [String: Substring] = [:]
        // For speed, because the table is parsed at each start: it is split as bytes, and types are checked when they
        // are looked up.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 <= UInt8(ascii: " ") }.map(Substring.init)
            for word in words.dropFirst() {
                let pathExtension = word.lowercased()
                if types[pathExtension] == nil { types[pathExtension] = words[0] }
            }
        }
        self.types = types
    }

    func type(ofExtension pathExtension: String) -> MediaType? {
        types[pathExtension.lowercased()].flatMap { MediaType(String($0)) }
    }
}
