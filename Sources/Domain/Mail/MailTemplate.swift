/// A text with variables such as `{{link}}`, checked before it is used.
package struct MailTemplate: Sendable, Hashable {
    private enum Segment: Sendable, Hashable {
        case text(String)
        case variable(String)
    }

    private let segments: [Segment]

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - allowed: The names of the variables that it can have.
    ///   - required: Those of them that it must have.
    /// - Throws: ``TemplateFault`` naming the variable that is wrong.
    init(_ text: String, allowed: [String], required: [String] = []) throws(TemplateFault) {
        var segments: [Segment] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            segments.append(.text(String(rest[..<start.lowerBound])))
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
                throw TemplateFault("has '{{' without '}}'")
            }
            let name = String(rest[start.upperBound..<end.lowerBound].filter { $0 != " " })
            guard allowed.contains(name) else {
                throw TemplateFault(
                    "has the unknown variable '{{\(name.prefix(64))}}'; allowed: "
                        + allowed.sorted().joined(separator: ", ")
                )
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

    /// The text with the values of its variables; a missing value is an empty one.
    ///
    /// - Parameters:
    ///   - values: The values by the names of variables.
    ///   - markup: The names of variables whose values are HTML.
    ///   - isHTML: Whether all other values are escaped for HTML.
    /// - Returns: The text.
    func filled(_ values: [String: String], markup: Set<String> = [], isHTML: Bool) -> String {
        segments.map { segment in
            switch segment {
            case .text(let text): text
            case .variable(let name):
                isHTML && !markup.contains(name) ? values[name, default: ""].escapedForHTML : values[name, default: ""]
            }
        }
        .joined()
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
