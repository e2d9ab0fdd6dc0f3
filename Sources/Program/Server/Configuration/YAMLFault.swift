internal import Yams

/// The fault of a YAML text and its place, without the text, which can contain keys and passwords.
///
/// The descriptions of Yams quote a line, or for a name that occurs twice the whole text.
package struct YAMLFault: CustomStringConvertible {
    /// A phrase such as `line 3, column 5: mapping values are not allowed in this context`.
    package let description: String

    /// Describes an error that Yams threw while it parsed a text.
    package init(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _)?,
            .parser(_, let problem, let mark, _)?,
            .composer(_, let problem, let mark, _)?:
            description = "line \(mark.line), column \(mark.column): \(problem)"
        case .reader(let problem, let offset?, _, let text)?:
            let lines = text.prefix(offset).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            description = "line \(lines.count), column \((lines.last?.count ?? 0) + 1): \(problem)"
        case .reader(let problem, nil, _, _)?:
            description = problem
        case .duplicatedKeysInMapping(let names, let context)?:
            let settings = names.filter(YAMLFault.isName).map { "'\($0)'" }.joined(separator: ", ")
            description =
                "line \(context.mark.line): \(settings.isEmpty ? "a name" : settings) occurs more than once"
        default:
            description = "it cannot be parsed"
        }
    }

    /// Whether a key of a mapping is a name; in a text with a fault it can be anything.
    private static func isName(_ key: String) -> Bool {
        key.utf8.count <= 64 && key.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
    }
}
