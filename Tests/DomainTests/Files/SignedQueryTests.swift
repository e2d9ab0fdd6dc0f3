import Testing

@testable import Domain

@Suite struct SignedQueryTests {
    @Test(
        "the signature is taken out of a query, and the rest stays in order",
        arguments: [
            ("e=12&token=ab", nil), ("token=ab&e=12", nil), ("imageView2/1/w/10&e=12&token=ab", "imageView2/1/w/10"),
            ("attname=a%26b&e=12&token=ab&v=3", "attname=a%26b&v=3"), ("e=12&token=ab&", ""),
            // What SDKs make of the URL of a record.
            ("e=12&token=ab?imageView/2/w/10", "imageView/2/w/10"),
            ("token=ab&e=12?imageView/2/w/10", "imageView/2/w/10"),
            ("e=12&token=ab?imageView/2/w/10&attname=x", "imageView/2/w/10&attname=x"),
        ] as [(String, String?)]
    )
    func signed(query: String, rest: String?) {
        let signed = SignedQuery(query)
        #expect(signed.rest == rest)
        #expect(signed.expires?.value == 12)
        #expect(signed.signature == "ab")
    }

    @Test(
        "a query without a signature stays as it is",
        arguments: [nil, "", "imageView2/1/w/10", "attname=e.jpg", "a=1&&b=2&", "name=e=1", "x?y?z"] as [String?]
    )
    func unsigned(query: String?) {
        let signed = SignedQuery(query)
        #expect(signed.rest == query)
        #expect(signed.expires == nil)
        #expect(signed.signature == nil)
    }

    @Test("an expiry has one form", arguments: ["", "-1", "+12", "012", "12.0", "1e3", " 12", "1234567890123", "１２"])
    func expiries(text: String) {
        #expect(SignedQuery("e=\(text)&token=ab").expires == nil)
    }

    @Test("of a repeated name the first value counts")
    func repeated() {
        let signed = SignedQuery("e=12&token=ab&e=13&token=cd")
        #expect(signed.expires?.value == 12)
        #expect(signed.signature == "ab")
    }
}
