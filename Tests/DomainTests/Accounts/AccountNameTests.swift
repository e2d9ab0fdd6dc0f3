import Domain
import Testing

@Suite struct AccountNameTests {
    @Test(
        "names that a user may have",
        arguments: [
            (.username, "ann"), (.username, " ann "), (.username, "安"), (.email, "ann@example.org"),
            (.email, "a.b+c@x.co.uk"), (.phone, "13800000000"), (.phone, "+8613800000000"), (.phone, "+12025550100"),
        ] as [(AccountName, String)]
    )
    func taken(name: AccountName, text: String) throws {
        try name.check(.string(text))
    }

    @Test(
        "names that no user may have",
        arguments: [
            (.username, "", .blankUsername), (.username, " \t", .blankUsername), (.username, nil, .missingUsername),
            (.email, "", .invalidEmail), (.email, "ann", .invalidEmail), (.email, "@x.org", .invalidEmail),
            (.email, "a@b@c.org", .invalidEmail), (.email, "a@b", .invalidEmail), (.email, "a@b..c", .invalidEmail),
            (.email, "a b@c.org", .invalidEmail), (.email, "a@c.org\r\nBcc: x@y.z", .invalidEmail),
            (.phone, "", .invalidPhone), (.phone, "1234", .invalidPhone), (.phone, "+86 138", .invalidPhone),
            (.phone, "123456789012345678901", .invalidPhone), (.phone, "１３８００００", .invalidPhone),
        ] as [(AccountName, String?, ServiceError.Code)]
    )
    func refused(name: AccountName, text: String?, code: ServiceError.Code) {
        let error = #expect(throws: ServiceError.self) { try name.check(text.map(JSONValue.string) ?? .null) }
        #expect(error?.code == code)
    }

    @Test(
        "spellings of one number are one name, and other values only if they are equal",
        arguments: [
            (.phone, "13800000000", "+8613800000000", true), (.phone, "8613800000000", "13800000000", true),
            (.phone, "13800000000", "13800000001", false), (.phone, "13800000000", nil, false),
            (.phone, nil, nil, true), (.username, "13800000000", "+8613800000000", false),
            (.email, "a@example.org", "a@example.org", true), (.email, "K@example.org", "\u{212a}@example.org", false),
        ] as [(AccountName, String?, String?, Bool)]
    )
    func same(name: AccountName, one: String?, other: String?, isSame: Bool) {
        let (one, other) = (one.map(JSONValue.string), other.map(JSONValue.string))
        #expect(name.isSame(one, as: other, country: "86") == isSame)
        #expect(name.isSame(other, as: one, country: "86") == isSame)
    }

    @Test("a number without a country is a Chinese one")
    func forms() {
        #expect(Set(AccountName.phone.forms(of: "138", country: "86")) == ["138", "+86138"])
        #expect(Set(AccountName.phone.forms(of: "+86138", country: "86")) == ["138", "+86138"])
        #expect(AccountName.phone.forms(of: "+1202", country: "86") == ["+1202"])
        for text in ["13800000000", "+8613800000000", "8613800000000"] {
            let forms = AccountName.phone.forms(of: text, country: "86")
            #expect(Set(forms) == ["13800000000", "+8613800000000", "8613800000000"])
        }
        // Behind the code they are another number.
        #expect(Set(AccountName.phone.forms(of: "+12025550100", country: "1")) == ["+12025550100", "2025550100"])
        #expect(AccountName.username.forms(of: "138", country: "86") == ["138"])
    }
}
