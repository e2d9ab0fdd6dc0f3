/// The media types that clients are allowed to upload: the setting `uploads.allowedTypes` (protocol/files 7).
package struct TypePolicy: Sendable, Hashable {
    private let patterns: [String]
    /// Whether the patterns list refused types instead of allowed ones.
    private let refuses: Bool

    /// The policy that allows every type.
    package static let any = TypePolicy(patterns: [], refuses: true)

    private init(patterns: [String], refuses: Bool) {
        self.patterns = patterns
        self.refuses = refuses
    }

    /// Parses `image/*`, `image/jpeg;image/png` or `!text/html;application/xml`; `nil` for every other form.
    package init?(_ text: String) {
        let refuses = text.hasPrefix("!")
        let patterns = text.dropFirst(refuses ? 1 : 0).split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " }.lowercased() }
        let isPattern = { (pattern: String) in
            pattern.contains("/") && !pattern.contains("!") && MediaType(pattern)?.description == pattern
        }
        guard patterns.allSatisfy(isPattern) else { return nil }
        self.init(patterns: patterns, refuses: refuses)
    }

    /// Whether a file is allowed.
    ///
    /// - Parameters:
    ///   - served: The media type with which it would be served.
    ///   - detected: The type detected from its bytes; `nil` if it is unknown.
    /// - Returns: Whether both types are allowed.
    func allows(served: MediaType, detected: MediaType?) -> Bool {
        // libmagic reports any text as plain text, so the more specific type is the declared one.
        let detected = detected?.description == "text/plain" ? served : detected ?? .octetStream
        // The client declared no type, so only the detected type is checked.
        return (served == .octetStream || allows(served)) && allows(detected)
    }

    /// Whether files with a type are allowed.
    func allows(_ type: MediaType) -> Bool {
        patterns.contains { matches($0[...], type.description[...]) } != refuses
    }

    /// Whether a type matches a pattern with `*` for any characters; patterns have few of them, so backtracking is
    /// cheap.
    private func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            let rest = pattern.drop { $0 == "*" }
            return text.indices.contains { matches(rest, text[$0...]) } || rest.isEmpty
        }
        return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
    }
}
