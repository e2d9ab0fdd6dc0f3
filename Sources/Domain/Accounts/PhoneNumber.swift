/// A phone number in the form of E.164: `+`, a country code and the subscriber's number, 7 to 15 digits together.
package struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number: `+8613800000000`.
    package let description: String

    /// Parses a number in any common notation: with spaces, hyphens, dots, slashes, brackets and full-width digits, with
    /// `+` or `00` before the country code, `(0)` behind it, or without a country code.
    ///
    /// Digits that are a number only if they begin with the country code have it: `8613800000000`.
    ///
    /// - Parameters:
    ///   - text: The number as a person or a client wrote it.
    ///   - country: The digits of the country code of numbers without one (`accounts.countryCode`).
    /// - Throws: ``ServiceError/Code/invalidPhone`` with the rule that the number violates.
    package init(_ text: String, country: String) throws {
        guard text.utf8.count <= PhoneNumber.maxLength else {
            throw PhoneNumber.refusal("it has more than \(PhoneNumber.maxLength) bytes")
        }
        var rest = try PhoneNumber.plain(text)[...]
        let isInternational = rest.first == "+" || rest.hasPrefix("00")
        if isInternational {
            rest = rest.dropFirst(rest.first == "+" ? 1 : 2)
            if let zero = rest.firstRange(of: PhoneNumber.trunkMark) {
                rest = (rest[..<zero.lowerBound] + rest[zero.upperBound...])[...]
            }
        } else {
            let written = rest
            if rest.hasPrefix(PhoneNumber.trunkMark) { rest = rest.dropFirst(PhoneNumber.trunkMark.count) }
            // The 0 that is dialled before numbers inside a country; in Italy and San Marino it is a part of them.
            if rest.first == "0", !["39", "378"].contains(country) { rest = rest.dropFirst() }
            rest = (country + rest)[...]
            if written.hasPrefix(country), !PhoneNumber.isValid(rest), PhoneNumber.isValid(written) { rest = written }
        }
        try PhoneNumber.check(rest)
        description = "+\(rest)"
    }

    /// Checks a number with its country code and without `+`.
    private static func check(_ digits: Substring) throws {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw refusal("'+' and '(0)' can be at its beginning only")
        }
        guard (7...15).contains(digits.count) else {
            throw refusal("it must have 7 to 15 digits with its country code")
        }
        guard digits.first != "0" else { throw refusal("no country code begins with 0") }
        let isChinese = digits.hasPrefix("86")
        guard !isChinese || digits.count == 13 && digits.dropFirst(2).first == "1" else {
            throw refusal("a Chinese mobile number has 11 digits, of which the first is 1")
        }
    }

    private static func isValid(_ digits: Substring) -> Bool { (try? check(digits)) != nil }

    /// The maximum length of a written number in bytes.
    private static let maxLength = 64
    /// The mark of the 0 that is not dialled after a country code: `+44 (0)20 …`.
    private static let trunkMark = "(0)"

    /// The text with ASCII digits only, a `+` at its beginning and `(0)`.
    private static func plain(_ text: String) throws -> String {
        var plain = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "0"..."9": plain.unicodeScalars.append(scalar)
            case "\u{FF10}"..."\u{FF19}":
                plain.append(String(scalar.value - 0xFF10))
            case "+", "\u{FF0B}": plain.append("+")
            case "(", "\u{FF08}": plain.append("(")
            case ")", "\u{FF09}": plain.append(")")
            case " ", "-", ".", "/", "\u{A0}", "\u{3000}", "\u{2010}"..."\u{2015}", "\u{FF0D}": continue
            default:
                throw refusal("it can have digits, spaces, hyphens, brackets, and '+' at its beginning")
            }
        }
        // Other brackets mean nothing.
        let parts = plain.split(separator: "(0)", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.map { $0.filter { $0 != "(" && $0 != ")" } }.joined(separator: trunkMark)
    }

    private static func refusal(_ rule: String) -> ServiceError {
        ServiceError(.invalidPhone, "The mobile phone number was invalid: \(rule).")
    }
}
