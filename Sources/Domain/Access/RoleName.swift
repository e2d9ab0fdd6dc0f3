/// The name of a role: letters, digits, `_`, `-` and spaces (protocol/data 5.3).
package enum RoleName {
    /// Whether the string is a valid name.
    package static func isOne(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_- ".utf8.contains($0) }
            && text.utf8.contains(where: \.isASCIIAlphanumeric)
    }

    /// Whether the string can be the name of a role that the master key creates: up to 128 bytes of any script.
    ///
    /// Characters that Unicode normalization always replaces are not allowed, as in ACLs: they look like other letters.
    package static func isImportable(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.hasControlCharacters
            && !text.unicodeScalars.contains(where: \.properties.isFullCompositionExclusion)
    }

    /// Throws ``ServiceError/Code/invalidRoleName`` (139) unless the value is a valid name for a role that the caller
    /// creates.
    package static func check(_ value: JSONValue?, by caller: Caller) throws {
        guard let text = value?.stringValue, isOne(text) || caller.isMaster && isImportable(text) else {
            throw ServiceError(
                .invalidRoleName,
                "Invalid role name: it must be 1 to 128 letters, digits, '_', '-' and spaces."
            )
        }
    }
}

extension Set<String> {
    /// Whether the set contains a string of the same bytes: Swift treats `é` as one character and as two as equal.
    func containsSpelling(_ text: String) -> Bool {
        firstIndex(of: text).map { self[$0].utf8.elementsEqual(text.utf8) } ?? false
    }
}
