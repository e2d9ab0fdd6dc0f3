/// A parameter of an operator and its value; its functions parse the value and throw an error that names both.
struct ImageParameter {
    /// The name: `w`.
    let name: Substring
    /// Never empty.
    let value: Substring

    /// Parses a whole number; a fraction is rounded.
    func wholeNumber(in range: ClosedRange<Int>) throws -> Int {
        guard let number = PlainNumber(value.utf8), range.contains(number.rounded) else {
            throw refused("a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number.rounded
    }

    /// Parses a signed whole number; half a pixel is rounded away from zero.
    func offset(upTo most: Int) throws -> Int {
        let isNegative = value.utf8.first == UInt8(ascii: "-")
        guard let number = PlainNumber(value.utf8.dropFirst(isNegative ? 1 : 0)), number.rounded <= most else {
            throw refused("a number from -\(most) to \(most)")
        }
        return isNegative ? -number.rounded : number.rounded
    }

    /// Parses a side in pixels; `nil` for 0, which some SDKs send for a missing side.
    func side(upTo most: Int) throws -> Int? {
        let side = try wholeNumber(in: 0...max(0, most))
        return side == 0 ? nil : side
    }

    /// Parses a number above 0, with the precision of ``PlainNumber/value``.
    func positiveNumber(upTo most: Int) throws -> Double {
        guard let number = PlainNumber(value.utf8), number.value > 0, number.value <= Double(most) else {
            throw refused("a number above 0, to \(most)")
        }
        return number.value
    }

    /// Parses `0` or `1`.
    func isOn() throws -> Bool {
        switch value {
        case "0": return false
        case "1": return true
        default: throw refused("0 or 1")
        }
    }

    /// Parses one of Qiniu's nine positions.
    func gravity() throws -> Gravity {
        guard let gravity = Gravity(rawValue: String(value)) else {
            throw refused("one of \(Gravity.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return gravity
    }

    /// Parses a string in URL-safe Base64.
    func text() throws -> String {
        guard let bytes = [UInt8](base64: value), let text = String(validating: bytes, as: UTF8.self) else {
            throw refused("UTF-8 in Base64 for URLs")
        }
        return text
    }

    /// Parses a colour in URL-safe Base64.
    func color() throws -> Color {
        let text = try text()
        guard let color = Color(css: text) else {
            throw ImageRequest.refusal(
                "'\(name)' must be the Base64 of a CSS colour's name, #RRGGBB or #RGB, not of '\(text[...].excerpt)'"
            )
        }
        return color
    }

    /// The error for the value; the argument says what the value must be.
    func refused(_ expectation: String) -> ServiceError {
        ImageRequest.refusal("'\(name)' must be \(expectation), not '\(value.excerpt)'")
    }
}

/// A number in a URL: digits and at most one decimal point, at most 32 characters, no sign, no exponent.
struct PlainNumber {
    /// The nearest whole number, half rounded up; at most 10¹⁷.
    let rounded: Int
    /// The value with four decimal places, more than any image shows; a positive value stays positive.
    ///
    /// So its description has no exponent and parses to the same number.
    let value: Double

    /// Parses a number; `nil` for other strings.
    init?(_ characters: some Collection<UInt8>) {
        let point = UInt8(ascii: ".")
        guard characters.count <= PlainNumber.maxLength else { return nil }
        let parts = characters.split(separator: point, maxSplits: 1, omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard parts.contains(where: { !$0.isEmpty }), parts.allSatisfy({ $0.allSatisfy(digits.contains) }) else {
            return nil
        }
        var whole = 0
        for digit in parts[0] { whole = min(whole * 10 + Int(digit - UInt8(ascii: "0")), PlainNumber.most) }
        let fraction = parts.count > 1 ? parts[1] : characters[characters.endIndex...]
        var places = 0
        for digit in fraction.prefix(4) { places = places * 10 + Int(digit - UInt8(ascii: "0")) }
        for _ in fraction.count..<max(4, fraction.count) { places *= 10 }
        if let next = fraction.dropFirst(4).first, next >= UInt8(ascii: "5") { places += 1 }
        let isAboveZero = parts.contains { $0.contains { $0 != UInt8(ascii: "0") } }
        if whole == 0, places == 0, isAboveZero { places = 1 }
        rounded = min(whole + (fraction.first.map { $0 >= UInt8(ascii: "5") } == true ? 1 : 0), PlainNumber.most)
        value = (Double(whole) * 10_000 + Double(places)) / 10_000
    }

    /// The maximum number of characters.
    static let maxLength = 32
    private static let most = 100_000_000_000_000_000
}
