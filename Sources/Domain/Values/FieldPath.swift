/// The path of a field, or of a value inside it: `title`, `profile.city`, `items.0.name`.
package struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// The names of the path; at least one, none empty.
    package let segments: [String]

    /// The maximum number of names.
    package static let maxDepth = 20

    /// Compares the bytes, as databases do: Swift treats `é` as one character and as two as equal.
    package static func == (left: FieldPath, right: FieldPath) -> Bool {
        left.segments == right.segments
            && zip(left.segments, right.segments).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// Parses a path from a client: the name of a field, then names of members or indexes of elements.
    ///
    /// - Throws: ``ServiceError/Code/invalidKey`` (protocol/data 3.6).
    package init(_ text: some StringProtocol) throws {
        let segments = String(text).split(separator: "." as Character, omittingEmptySubsequences: false).map(
            String.init
        )
        guard let first = segments.first, FieldPath.isFieldName(first), segments.count <= FieldPath.maxDepth,
            segments.dropFirst().allSatisfy({
                !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "$")) && !$0.hasControlCharacters
            })
        else { throw FieldPath.refusal(of: text) }
        self.segments = segments
    }

    /// The path of an existing field, or of one named in the source.
    package init(field: String) {
        segments = [field]
    }

    /// The first name: the field.
    package var field: String { segments[0] }

    /// Whether the path leads inside a field.
    package var isNested: Bool { segments.count > 1 }

    /// The names after the field.
    package var inner: ArraySlice<String> { segments.dropFirst() }

    /// The path as a string.
    package var description: String { segments.joined(separator: ".") }

    /// The maximum length of a field name in bytes.
    private static let maxLength = 128

    /// Whether the string is a valid field name: letters and digits of any script, and `_`.
    ///
    /// LeanCloud documents ASCII only (protocol/data 3.6), but apps have fields of other names from its earlier
    /// versions. Marks, such as accents, follow a letter. Characters that Unicode normalization always replaces, such as
    /// the Kelvin sign, are not valid: they look like other letters.
    package static func isFieldName(_ text: String) -> Bool {
        if isASCIIFieldName(text) { return true }
        guard (1...maxLength).contains(text.utf8.count) else { return false }
        var allowsMark = false
        for scalar in text.unicodeScalars {
            guard !scalar.properties.isFullCompositionExclusion else { return false }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
                allowsMark = true
            case .nonspacingMark, .spacingMark:
                guard allowsMark else { return false }
            case .decimalNumber, .letterNumber:
                allowsMark = false
            default:
                guard scalar == "_" else { return false }
                allowsMark = false
            }
        }
        return true
    }

    /// Whether the string is a field name that every caller can give to a new field: ASCII letters, digits and `_`
    /// (protocol/data 3.6).
    package static func isASCIIFieldName(_ text: String) -> Bool {
        (1...maxLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
    }

    /// Throws for names that clients cannot use for a field: built-in names in any case, and names that begin with
    /// `__`.
    package static func requireFree(_ name: String) throws {
        guard isFieldName(name), !name.hasPrefix("__"), !reserved.contains(name.lowercased()) else {
            throw refusal(of: name)
        }
    }

    private static let reserved: Set<String> = ["objectid", "createdat", "updatedat", "classname", "acl"]

    static func refusal(of text: some StringProtocol) -> ServiceError {
        ServiceError(
            .invalidKey,
            "Invalid key name. Keys are case-sensitive and 'a-zA-Z0-9_' are the only valid characters. "
                + "The column is: '\(text.prefix(64))'."
        )
    }
}
