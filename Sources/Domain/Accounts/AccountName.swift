/// The three names by which a user logs in, with the format of each (protocol/data 6.1).
package enum AccountName: String, Sendable, CaseIterable {
    case username
    case email
    case phone = "mobilePhoneNumber"

    /// Checks a value of the field; throws codes 200, 217, 125 and 127.
    package func check(_ value: JSONValue) throws {
        let text = value.stringValue ?? ""
        switch self {
        case .username:
            guard value.stringValue != nil else {
                throw ServiceError(.missingUsername, "Username is missing or empty.")
            }
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw ServiceError(.blankUsername, "Username cannot be blank.")
            }
        case .email:
            guard AccountName.isEmail(text) else {
                throw ServiceError(.invalidEmail, "The email address was invalid.")
            }
        case .phone:
            let digits = text.utf8.dropFirst(text.hasPrefix("+") ? 1 : 0)
            guard (5...20).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw ServiceError(.invalidPhone, "The mobile phone number was invalid.")
            }
        }
    }

    /// All spellings of a name.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - country: The digits of the country code of phone numbers without `+` (`accounts.countryCode`).
    /// - Returns: The name; of a phone number of that country also without `+` and the code, and, unless that is another
    ///   number, without `+`.
    package func forms(of text: String, country: String) -> [String] {
        guard self == .phone else { return [text] }
        let prefix = "+\(country)"
        let number: String
        if text.hasPrefix("+") {
            number = text
        } else {
            number = AccountName.hasCode(text, of: country) ? "+\(text)" : prefix + text
        }
        guard number.hasPrefix(prefix) else { return [number] }
        let forms = [number, String(number.dropFirst(prefix.count))]
        let digits = String(number.dropFirst())
        return AccountName.hasCode(digits, of: country) ? forms + [digits] : forms
    }

    /// Whether two values of the field are one name: two spellings of a phone number are, and lookalikes are not.
    ///
    /// - Parameters:
    ///   - value: A value; `nil` is the same as null.
    ///   - other: Another one.
    ///   - country: The digits of the country code of phone numbers without `+` (`accounts.countryCode`).
    /// - Returns: Whether they are the same name, or both null.
    package func isSame(_ value: JSONValue?, as other: JSONValue?, country: String) -> Bool {
        guard let text = value?.stringValue, let other = other?.stringValue else {
            return (value ?? .null).isSame(as: other ?? .null)
        }
        // Byte by byte: texts that Unicode calls equal are of two users.
        return forms(of: other, country: country).contains { $0.utf8.elementsEqual(text.utf8) }
    }

    /// The spelling in which a new value is stored.
    ///
    /// - Parameters:
    ///   - text: The value, checked by ``check(_:)``.
    ///   - country: The digits of the country code of phone numbers without `+` (`accounts.countryCode`).
    /// - Returns: The value as the client wrote it; a phone number in another notation than ``forms(of:country:)`` in the
    ///   form of E.164, because it could not be found otherwise.
    /// - Throws: ``ServiceError/Code/invalidPhone`` for a text that begins with 0 and is no number.
    func stored(_ text: String, country: String) throws -> String {
        guard self == .phone else { return text }
        do {
            let number = try PhoneNumber(text, country: country).description
            return forms(of: number, country: country).contains(text) ? text : number
        } catch {
            // Apps use test numbers that are valid in no country.
            guard !text.hasPrefix("0"), !text.hasPrefix("+0") else { throw error }
            return text
        }
    }

    /// Whether digits are a phone number with its country code: they would be none after a second code.
    private static func hasCode(_ digits: String, of country: String) -> Bool {
        digits.hasPrefix(country) && (try? PhoneNumber(digits, country: country))?.description == "+\(digits)"
    }

    /// The error for a value that another user has.
    package var taken: ServiceError {
        switch self {
        case .username: ServiceError(.usernameTaken, "Username has already been taken.")
        case .email: ServiceError(.emailTaken, "Email has already been taken.")
        case .phone: ServiceError(.phoneTaken, "Mobile phone number has already been taken.")
        }
    }

    /// The field that records whether the user verified the value.
    package var verifiedField: String? {
        switch self {
        case .username: nil
        case .email: AccountName.emailVerified
        case .phone: AccountName.phoneVerified
        }
    }

    /// The field that records whether the user verified the address.
    static let emailVerified = "emailVerified"
    /// The field that records whether the user verified the number.
    static let phoneVerified = "mobilePhoneVerified"

    /// Whether the string has the form `name@host.tld` and no character that email addresses exclude.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, !parts[0].isEmpty, !text.hasControlCharacters,
            !text.contains(where: { $0.isWhitespace || "\",;:<>()[]\\".contains($0) })
        else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
    }
}

extension StoredObject {
    /// Whether a user has verified an address or a number; `false` for a username.
    func isVerified(_ name: AccountName) -> Bool {
        name.verifiedField.map { fields[$0] == .bool(true) } ?? false
    }

    /// Records that a user has verified an address or a number.
    mutating func verify(_ name: AccountName) {
        if let field = name.verifiedField { fields[field] = .bool(true) }
    }
}
