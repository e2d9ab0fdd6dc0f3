/// Numbers that get no SMS and have a fixed code: for tests, and for those who review an app (`sms.fixedNumbers`).
package struct FixedNumbers: Sendable {
    private let codes: [PhoneNumber: Secret]

    /// - Parameter codes: The code of each number.
    package init(_ codes: [PhoneNumber: Secret] = [:]) {
        self.codes = codes
    }

    /// Parses `+8613800000000=123456, +12025550100=000000`; `nil` for other strings.
    ///
    /// - Parameters:
    ///   - text: The list.
    ///   - country: The country code of numbers without one.
    package init?(_ text: String, country: String) {
        var codes: [PhoneNumber: Secret] = [:]
        for entry in text.split(separator: ",") {
            let parts = entry.filter { $0 != " " }.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = try? PhoneNumber(String(parts[0]), country: country),
                parts[1].utf8.count == SMSSecret.digits, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            codes[number] = Secret(String(parts[1]))
        }
        self.codes = codes
    }

    /// Whether no number has a fixed code.
    package var isEmpty: Bool { codes.isEmpty }

    /// The fixed code of a number; `nil` for all other numbers.
    func code(of number: PhoneNumber) -> Secret? { codes[number] }
}
