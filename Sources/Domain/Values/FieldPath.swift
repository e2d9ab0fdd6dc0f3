/// A field of an object, or a place inside it: `title`, `profile.city`, `items.0.name`.
package struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// The names along the way; at least one, none empty.
    package let segments: [String]

    /// The most names of a path.
    package static let maxDepth = 20

    /// Takes a path from a client: its first name is a field's, the others are those of members and elements.
    ///
    /// - Throws: ``ServiceError/Code/invalidKey`` (protocol/data 3.6).
    package init(_ text: some StringProtocol) throws {
        let segments = String(text).split(separator: "." as Character, omittingEmptySubsequences: false).map(
            String.init
        )
        guard let first = segments.first, FieldPath.isFieldName(first), segments.count <= FieldPath.maxDepth,
            segments.dropFirst().allSatisfy({ !$0.isEmpty && !$0.contains("$") && !$0.hasControlCharacters })
        else { throw FieldPath.refusal(of: text) }
        self.segments = segments
    }

    /// Names a field that exists, or one written in our source.
    package init(field: String) {
        segments = [field]
    }

    /// The first name: which field it is, or is inside of.
    package var field: String { segments[0] }

    /// Whether it goes inside a field.
    package var isNested: Bool { segments.count > 1 }

    /// The way inside the field, from its value on.
    package var inner: ArraySlice<String> { segments.dropFirst() }

    /// As it is written.
    package var description: String { segments.joined(separator: ".") }

    /// Whether a field may have this name: letters, digits and `_` (protocol/data 3.6).
    package static func isFieldName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
    }

    /// Throws for names that no client may give a field: the built-in ones in any letter case, and those that begin
    /// with `__`.
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
