import Domain
import Testing

/// Phone numbers in all notations (docs/accounts.md, "SMS").
@Suite struct PhoneNumberTests {
    @Test(
        "each notation of a number is the same number in the form of E.164",
        arguments: [
            ("13800000000", "86"), ("+8613800000000", "86"), ("+86 138 0000 0000", "1"), ("0086-138-0000-0000", "1"),
            ("(+86) 138.0000.0000", "1"), ("１３８００００００００", "86"), ("＋８６１３８００００００００", "1"),
            ("+86 (0)138 0000 0000", "1"), ("013800000000", "86"), ("(0)138 00000000", "86"),
            ("138\u{A0}0000\u{2011}0000", "86"), ("138/0000/0000", "86"), ("8613800000000", "86"),
        ]
    )
    func notations(text: String, country: String) throws {
        #expect(try PhoneNumber(text, country: country).description == "+8613800000000")
    }

    @Test(
        "numbers of other countries, with and without the 0 that is dialled inside them",
        arguments: [
            ("202 555 0100", "1", "+12025550100"), ("07911 123456", "44", "+447911123456"),
            ("+44 (0)7911 123456", "86", "+447911123456"), ("0612345678", "39", "+390612345678"),
            ("+1 (202) 555-0100", "86", "+12025550100"), ("+852 5123 4567", "86", "+85251234567"),
            ("12025550100", "1", "+112025550100"),
        ]
    )
    func countries(text: String, country: String, expected: String) throws {
        #expect(try PhoneNumber(text, country: country).description == expected)
    }

    @Test(
        "what is no number is refused with the rule",
        arguments: [
            ("", "7 to 15"), ("+", "7 to 15"), ("123", "digits"), ("+123456", "7 to 15"),
            ("+1234567890123456", "7 to 15"),
            ("+0123456789", "begins with 0"), ("1380000000a", "digits, spaces"), ("+86 1380000000", "11 digits"),
            ("+86 23800000000", "11 digits"), ("138+0000+0000", "beginning only"),
            ("13800000000\r\nX: y", "digits, spaces"),
            ("+1 202 555 0100 ext 2", "digits, spaces"), ("٠١٢٣٤٥٦٧٨٩", "digits, spaces"),
            (String(repeating: "1 ", count: 40), "64 bytes"), ("++8613800000000", "beginning only"),
            ("8612345678", "11 digits"),
        ]
    )
    func refused(text: String, rule: String) {
        let error = #expect(throws: ServiceError.self) { try PhoneNumber(text, country: "86") }
        #expect(error?.code == .invalidPhone)
        #expect(error?.message.contains(rule) == true, "\(error?.message ?? "")")
    }
}
