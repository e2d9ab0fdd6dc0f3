internal import FileClient
internal import FoundationEssentials

/// The files to which objects refer: by values of type File, by pointers to `_File`, and by URLs in texts.
struct FileReferences: Sendable, Equatable {
    /// objectIds.
    private(set) var ids: Set<String> = []
    /// Paths of URLs, which are keys if the URLs are the server's.
    private(set) var keys: Set<String> = []

    /// Finds the references in a value, however deep.
    init(in value: JSON) {
        collect(value)
    }

    private mutating func collect(_ value: JSON) {
        switch value {
        case .object(let members):
            if case .string(let type) = members["__type"], ["File", "Pointer"].contains(type) {
                for name in ["id", "objectId"] {
                    if case .string(let id) = members[name] { ids.insert(id) }
                }
            }
            for member in members.values { collect(member) }
        case .array(let elements): for element in elements { collect(element) }
        case .string(let text): collectURLs(in: text)
        case .null, .bool, .integer, .number: break
        }
    }

    /// Collects the paths of all URLs in a text, such as Markdown or HTML.
    ///
    /// A path counts with and without its percent-encoding, because texts contain both.
    private mutating func collectURLs(in text: String) {
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...]
            let url = rest.prefix { !$0.isWhitespace && !"\"'<>()[]{}`|\\^".contains($0) }
            rest = rest.dropFirst(url.count)
            let path = url.drop { $0 != "/" }.dropFirst().prefix { $0 != "?" && $0 != "#" }
            guard !path.isEmpty else { continue }
            // The end of a sentence is not part of a URL, but can be part of a key.
            var trimmed = path
            while let last = trimmed.last, ".,;:!。，；".contains(last) { trimmed.removeLast() }
            for path in [String(path), String(trimmed)] {
                keys.insert(path)
                if let decoded = URL(string: "http://a/" + path)?.path(percentEncoded: false) {
                    keys.insert(String(decoded.dropFirst()))
                }
            }
        }
    }
}
