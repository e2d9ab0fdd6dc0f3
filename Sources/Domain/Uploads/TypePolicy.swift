/// Which media types clients can upload: the setting `uploads.allowedTypes` (protocol/files 7).
package struct TypePolicy: Sendable, Hashable {
    private let patterns: [String]
    /// Whether the patterns say what is refused instead of what is allowed.
    private let refuses: Bool

    /// Allows every type.
    package static let any = TypePolicy(patterns: [], refuses: true)

    private init(patterns: [String], refuses: Bool) {
        self.patterns = patterns
        self.refuses = refuses
    }

    /// Reads `image/*`, `image/jpeg;image/png` or `!text/html;application/xml`; `nil` if it is none of that form.
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

    /// Whether a file may be uploaded.
    ///
    /// - Parameters:
    ///   - served: What it would be served as.
    ///   - detected: What its bytes look like; `nil` if like nothing known.
    /// - Returns: Whether both may be.
    func allows(served: MediaType, detected: MediaType?) -> Bool {
        // libmagic calls any text plain: that it is text was seen, which text is only claimed.
        let detected = detected?.description == "text/plain" ? served : detected ?? .octetStream
        // The client claimed no type, so only the detected type is checked.
        return (served == .octetStream || allows(served)) && allows(detected)
    }

    /// Whether files may be served as a type.
    func allows(_ type: MediaType) -> Bool {
        patterns.contains { matches($0[...], type.description[...]) } != refuses
    }

    /// `*` stands for any characters; each pattern has few of them, so going back is cheap.
    private func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            let rest = pattern.drop { $0 == "*" }
            return text.indices.contains { matches(rest, text[$0...]) } || rest.isEmpty
        }
        return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
    }
}
