import Domain
import Testing

@Suite struct PasswordTests {
    @Test(
        "what is no password is refused",
        arguments: [
            (nil, .missingPassword), (.null, .missingPassword), (.integer(5), .missingPassword),
            (.array(["p"]), .missingPassword),
            ("", .blankPassword), ("p\u{0}", .malformedJSON), ("\u{0}", .malformedJSON), ("123456789", .badRequest),
        ] as [(JSONValue?, ServiceError.Code)]
    )
    func refused(json: JSONValue?, code: ServiceError.Code) {
        let error = #expect(throws: ServiceError.self) { try Password(json, limit: 8) }
        #expect(error?.code == code)
    }

    @Test("a password as long as the limit is taken, bytes counted", arguments: ["12345678", "密码ab", " "])
    func taken(text: String) throws {
        #expect(try Password(.string(text), limit: 8).revealed == text)
    }

    @Test("a password never prints itself")
    func secret() throws {
        #expect(try "\(Password("hush", limit: 8))" == "<password>")
        #expect("\(SessionToken())" == "<token>")
    }

    @Test(
        "only what is a bcrypt hash is taken for one",
        arguments: [
            ("$2b$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", true),
            ("$2x$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", false),
            ("$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", false),
            ("$2b$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", false),
            ("$2b$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe:", false), ("", false), ("$2b$12$", false),
        ]
    )
    func bcrypt(text: String, isTaken: Bool) {
        let hash = try? PasswordHash(bcrypt: text)
        #expect(hash?.text == (isTaken ? text : nil))
    }

    @Test("tokens are 25 lower-case letters and digits, and never the same")
    func tokens() {
        let tokens = (0..<100).map { _ in SessionToken().revealed }
        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { $0.count == 25 && $0.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) } })
    }
}
