internal import Domain

/// Maps file name extensions to media types, from a table in the form of `/etc/mime.types`.
///
/// Debian's package `media-types` maintains that table; a line contains a type and its extensions. If an extension
/// occurs twice, the first line wins.
struct ExtensionTable: Sendable {
    private let types: [String: MediaType]

    init(parsing text: String) {
        var types: [String: MediaType] = [:]
        // Split as bytes for speed: the table is parsed at each start, and most lines have no extension.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 <= UInt8(ascii: " ") }.map(Substring.init)
            guard words.count > 1, let type = MediaType(String(words[0])) else { continue }
            for word in words.dropFirst() {
                let pathExtension = word.lowercased()
                if types[pathExtension] == nil { types[pathExtension] = type }
            }
        }
        self.types = types
    }

    func type(ofExtension pathExtension: String) -> MediaType? {
        types[pathExtension.lowercased()]
    }
}
