internal import Domain

/// Which media type an extension stands for, from a table in the form of `/etc/mime.types`.
///
/// Debian's package `media-types` maintains that table; a line holds a type and its extensions. Where an extension
/// stands twice, the first line wins.
struct ExtensionTable: Sendable {
    private let types: [String: MediaType]

    init(parsing text: String) {
        var types: [String: MediaType] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let type = words.first.flatMap({ MediaType(String($0)) }) else { continue }
            for pathExtension in words.dropFirst() {
                types.merge([(pathExtension.lowercased(), type)]) { first, _ in first }
            }
        }
        self.types = types
    }

    func type(ofExtension pathExtension: String) -> MediaType? {
        types[pathExtension.lowercased()]
    }
}
