/// The forms of ids and names that come from exports and servers, and become parts of local paths or of request paths.
enum NameRules {
    /// Whether a string is a valid objectId for the server: 1 to 64 ASCII letters and digits.
    static func isObjectID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isASCIIAlphanumeric)
    }

    /// Checks an objectId.
    ///
    /// - Throws: ``MigrationError`` with the reason for which the row cannot be sent.
    static func requireObjectID(_ text: String, as name: String = "objectId") throws(MigrationError) {
        guard isObjectID(text) else { throw MigrationError("\(name) must be 1 to 64 ASCII letters and digits") }
    }

    /// Whether a string is a valid name of a class: a letter behind at most one `_`, then letters, digits and `_`, all
    /// of ASCII; at most 128 characters.
    static func isClassName(_ text: String) -> Bool {
        let name = text.utf8.first == UInt8(ascii: "_") ? text.utf8.dropFirst() : text.utf8[...]
        guard text.utf8.count <= 128, let first = name.first, isASCIIAlphanumeric(first),
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        return name.allSatisfy { isASCIIAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a string is a valid name of a field: letters, marks and digits of any script, and `_`; at most 128 bytes
    /// of UTF-8.
    static func isFieldName(_ text: String) -> Bool {
        // By scalars: a slash before a combining mark is another character for Swift.
        (1...128).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                    .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber:
                    true
                default: scalar == "_"
                }
            }
    }

    private static func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
