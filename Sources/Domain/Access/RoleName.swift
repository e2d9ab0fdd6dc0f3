/// The name of a role: letters, digits, `_`, `-` and spaces (protocol/data 5.3).
package enum RoleName {
    /// Whether the string is a valid name.
    package static func isOne(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_- ".utf8.contains($0) }
            && text.utf8.contains(where: \.isASCIIAlphanumeric)
    }

    /// Throws ``ServiceError/Code/invalidRoleName`` (139) unless the value is a valid name.
    package static func check(_ value: JSONValue?) throws {
        guard let text = value?.stringValue, isOne(text) else {
            throw ServiceError(
                .invalidRoleName,
                "Invalid role name: it must be 1 to 128 letters, digits, '_', '-' and spaces."
            )
        }
    }
}
