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
