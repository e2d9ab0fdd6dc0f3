/// A password from a client; never printed, never stored.
package struct Password: Sendable, CustomStringConvertible {
    /// The password itself, for hashing.
    package let revealed: String

    /// Reads the member of a body.
    ///
    /// - Parameters:
    ///   - json: The member; `nil` if the body has none.
    ///   - field: The member's name, for the error message.
    ///   - limit: The maximum length in bytes of UTF-8.
    /// - Throws: ``ServiceError/Code/missingPassword`` (201), ``ServiceError/Code/blankPassword`` (218),
    ///   ``ServiceError/Code/malformedJSON`` for U+0000, ``ServiceError/Code/badRequest`` for a password that is too
    ///   long.
    package init(_ json: JSONValue?, field: String = "password", limit: Int) throws {
        guard let json, json != .null else {
            throw ServiceError(.missingPassword, "Password is missing or empty: '\(field)'.")
        }
        guard case .string(let text) = json else {
            throw ServiceError(.missingPassword, "Password is missing or empty: '\(field)' must be a String.")
        }
        guard !text.utf8.isEmpty else { throw ServiceError(.blankPassword, "Password cannot be blank: '\(field)'.") }
        // C ends a string at U+0000, and scrypt pads keys with it: different passwords would have the same hash.
        guard !text.utf8.contains(0) else {
            throw ServiceError(.malformedJSON, "'\(field)' must not contain the character U+0000.")
        }
        guard text.utf8.count <= limit else {
            throw ServiceError(
                .badRequest,
                "'\(field)' is longer than \(limit) bytes, the limit (accounts.maxPasswordLength)."
            )
        }
        revealed = text
    }

    /// Never the password, so that no log line can contain it.
    package var description: String { "<password>" }
}

/// A password's hash with the parameters needed to verify it, as a string in the format of crypt(5):
/// `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, `$leancloud$<salt>$<hash>`, `$2b$12$…`.
package struct PasswordHash: Sendable, Hashable {
    /// The stored string.
    package let text: String

    /// Creates a hash from the string of a hasher or of a store.
    package init(stored text: String) {
        self.text = text
    }

    /// The field of a user that stores the hash; clients can neither read nor write it.
    package static let field = "_password"

    /// Creates a hash from a LeanCloud export (protocol/data 6.6).
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the string has another form.
    package init(leanCloud hash: String, salt: String) throws {
        // 64 bytes in Base64: 86 characters and two of padding.
        let isBase64 = hash.utf8.count == 88 && hash.hasSuffix("==") && hash.utf8.dropLast(2).allSatisfy(\.isBase64)
        guard isBase64, (1...256).contains(salt.utf8.count), salt.utf8.allSatisfy(\.isASCIIAlphanumeric) else {
            throw ServiceError(
                .badRequest,
                "password and salt must be as in an export: 88 characters of base64, and letters and digits."
            )
        }
        text = "$leancloud$\(salt)$\(hash)"
    }

    /// Creates a bcrypt hash from another system.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the string has another form, or if verifying it would take
    ///   minutes.
    package init(bcrypt text: String) throws {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]),
            let cost = Int(parts[2]), parts[2].utf8.count == 2, (4...16).contains(cost),
            parts[3].utf8.count == 53,
            parts[3].utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") })
        else {
            throw ServiceError(.badRequest, "bcryptPassword must be a bcrypt hash, $2b$12$… with a cost of 4 to 16.")
        }
        self.text = text
    }
}

extension UInt8 {
    fileprivate var isBase64: Bool {
        isASCIIAlphanumeric || [UInt8(ascii: "+"), UInt8(ascii: "/")].contains(self)
    }
}
