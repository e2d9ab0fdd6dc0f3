/// A text with variables such as `{{link}}`, checked before it is used.
package struct TextTemplate: Sendable, Hashable {
    private enum Segment: Sendable, Hashable {
        case text(String)
        case variable(String)
    }

    private let segments: [Segment]

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - allowed: The names of the variables that it can have; `nil` for any names of letters, digits and `_`.
    ///   - required: Those of them that it must have.
    /// - Throws: ``TemplateFault`` naming the variable that is wrong.
    package init(_ text: String, allowed: [String]?, required: [String] = []) throws(TemplateFault) {
        var segments: [Segment] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            segments.append(.text(String(rest[..<start.lowerBound])))
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
                throw TemplateFault("has '{{' without '}}'")
            }
            let name = String(rest[start.upperBound..<end.lowerBound].filter { $0 != " " })
            if let allowed, !allowed.contains(name) {
                throw TemplateFault(
                    "has the unknown variable '{{\(name.prefix(64))}}'; allowed: "
                        + allowed.sorted().joined(separator: ", ")
                )
            }
            guard allowed != nil || TextTemplate.isName(name) else {
                throw TemplateFault("has the variable '{{\(name.prefix(64))}}', whose name is not letters and digits")
            }
            segments.append(.variable(name))
            rest = rest[end.upperBound...]
        }
        segments.append(.text(String(rest)))
        for name in required where !segments.contains(.variable(name)) {
            throw TemplateFault("does not have the variable '{{\(name)}}'")
        }
        self.segments = segments
    }

    /// The names of the variables in the text.
    package var variables: Set<String> {
        Set(
            segments.compactMap { segment in
                if case .variable(let name) = segment { name } else { nil }
            }
        )
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_.".utf8.contains($0) }
    }

    /// The text with the values of its variables; a missing value is an empty one.
    ///
    /// - Parameters:
    ///   - values: The values by the names of variables.
    ///   - escape: Escapes the value of a variable for the text around it; gets the name and the value.
    /// - Returns: The text.
    package func filled(_ values: [String: String], escape: (String, String) -> String = { $1 }) -> String {
        segments.map { segment in
            switch segment {
            case .text(let text): text
            case .variable(let name): escape(name, values[name, default: ""])
            }
        }
        .joined()
    }

    /// The text with the values of its variables; a missing value is an empty one.
    ///
    /// - Parameters:
    ///   - values: The values by the names of variables.
    ///   - markup: The names of variables whose values are HTML.
    ///   - isHTML: Whether all other values are escaped for HTML.
    /// - Returns: The text.
    func filled(_ values: [String: String], markup: Set<String> = [], isHTML: Bool) -> String {
        filled(values) { name, value in isHTML && !markup.contains(name) ? value.escapedForHTML : value }
    }
}

/// What is wrong with a template.
package struct TemplateFault: Error, Sendable, Hashable {
    /// The end of a sentence that begins with the name of the template.
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension String {
    /// The string as text of an HTML element or as a quoted attribute.
    package var escapedForHTML: String {
        guard utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return self }
        // By scalars: a character can have combining marks, and is then none of these five.
        return unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: String(scalar)
            }
        }
        .joined()
    }
}
