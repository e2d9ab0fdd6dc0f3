import Testing

@testable import Domain

/// The texts of SMS, and the codes in them.
@Suite struct SMSTemplateTests {
    @Test("each purpose has a text in both languages, with code, app and minutes", arguments: SMSPurpose.allCases)
    func texts(purpose: SMSPurpose) throws {
        for language in MailLanguage.allCases {
            let templates = try SMSTemplates(appName: "Example", language: language)
            let content = SMSContent(purpose)
            #expect(try templates.hasCode(content))
            let text = try #require(
                templates.text(content, sign: "", ["code": "123456", "name": "Example", "ttl": "10"])
            )
            #expect(text.contains("123456") && text.contains("Example") && text.contains("10"))
            #expect(text.count <= 100)
        }
    }

    @Test(
        "files of the operator that cannot be used are refused with their name",
        arguments: [
            ("generic.txt", "no code"), ("generic.txt", "{{code}} {{other}}"), ("logIn.txt", ""), ("x.txt", ""),
            ("x.txt", "two\nlines"), ("x.html", "x"), ("a b.txt", "x"), (".txt", "x"), ("x.txt", "{{a"),
            ("x.txt", "{{a b;c}}"), ("x.txt", String(repeating: "x", count: 401)),
        ]
    )
    func refused(name: String, text: String) {
        let error = #expect(throws: TemplateFault.self) {
            try SMSTemplates(replacing: [name: text], appName: "Example")
        }
        #expect(error?.message.hasPrefix(name) == true)
    }

    @Test("a template of the operator replaces the text of a purpose")
    func replaced() throws {
        let templates = try SMSTemplates(replacing: ["logIn.txt": "Use {{{code}}}.\n"], appName: "Example")
        #expect(templates.text(SMSContent(.logIn), sign: "Shop", ["code": "000001"]) == "【Shop】Use 000001.")
    }

    @Test(
        "members of a body that cannot be in an SMS are refused",
        arguments: [
            ["who": "a\nb"], ["who": "【x】"], ["who": .string(String(repeating: "x", count: 101))],
            ["who": .array(["a"])], ["who": .object([:])],
            ["a b": "x"], ["a\r\nb": "x"], ["sign": "a\u{7}"], ["template": .array([])],
            ["name": .string(String(repeating: "x", count: 21))], ["name": "a.example"], ["name": "http:x"],
            ["name": "a/b"], ["name": "a@b"], ["name": "例。中国"],
            ["sign": .string(String(repeating: "x", count: 21))], ["sign": "a.example"], ["sign": "You won! https://a"],
            // One Character with the mark, which has no width.
            ["sign": "a.\u{FE0F}example"], ["sign": "a.\u{200D}example"], ["name": "a.\u{FE0F}example"],
            ["sign": "a\u{FF61}example"], ["sign": "x】\u{FE0F}"], ["who": "【\u{FE0F}x"],
            ["sign": .string(String(repeating: "\u{301}", count: 21))],
            ["who": .string(String(repeating: "\u{301}", count: 101))],
        ] as [[String: JSONValue]]
    )
    func bodies(body: [String: JSONValue]) {
        let error = #expect(throws: ServiceError.self) { try SMSContent(body) }
        #expect(error?.code == .badRequest)
    }

    @Test("a request can name the app, and give other variables longer values", arguments: ["Shop 24", "天天特价"])
    func name(name: String) throws {
        let body: [String: JSONValue] = ["name": .string(name), "sign": .string(name)]
        let content = try SMSContent(body.merging(["link": "https://example.org/orders/24"]) { $1 })
        #expect(content.variables == ["name": name, "link": "https://example.org/orders/24"])
        #expect(content.sign == name)
    }

    @Test("a request can name the server's own signature, also one that clients cannot choose")
    func ownSign() throws {
        #expect(try SMSContent(["sign": "shop.example"], ownSign: "shop.example").sign.isEmpty)
        #expect(throws: ServiceError.self) { try SMSContent(["sign": "other.example"], ownSign: "shop.example") }
    }

    @Test("a text with its values has at most 400 Unicode scalars")
    func longText() throws {
        let line = String(repeating: "{{who}}", count: 5)
        let templates = try SMSTemplates(replacing: ["x.txt": line], appName: "Example")
        let content = try SMSContent(["template": "x"])
        let who = String(repeating: "\u{301}", count: 100)
        let text = try #require(templates.text(content, sign: "", ["who": who]))
        #expect(text.unicodeScalars.count == 400)
        let long = String(repeating: "\u{301}", count: 401)
        #expect(throws: TemplateFault.self) { try SMSTemplates(replacing: ["x.txt": long], appName: "Example") }
    }

    @Test("a request cannot take lcfile's text of another purpose", arguments: SMSPurpose.allCases)
    func otherPurpose(purpose: SMSPurpose) throws {
        let body: [String: JSONValue] = ["template": .string(SMSTemplates.name(of: purpose))]
        guard purpose != .generic else {
            #expect(try SMSContent(body) == SMSContent(.generic))
            return
        }
        let error = #expect(throws: ServiceError.self) { try SMSContent(body) }
        #expect(error?.code == .invalidSMSTemplate)
    }

    @Test(
        "a variable that is no string has its text in JSON",
        arguments: [
            (.number(12.5), "12.5"), (.number(-0.25), "-0.25"), (.integer(3), "3"), (.bool(true), "true"),
        ] as [(JSONValue, String)]
    )
    func values(value: JSONValue, text: String) throws {
        #expect(try SMSContent(["amount": value]).variables == ["amount": text])
    }

    @Test("a body has at most 20 variables")
    func variables() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<20).map { ("v\($0)", JSONValue.integer(Int64($0))) })
        let others: [String: JSONValue] = ["mobilePhoneNumber": "1", "ttl": .integer(1), "smsType": "voice"]
        let content = try SMSContent(many.merging(others) { $1 })
        #expect(content.variables.count == 20)
        #expect(content.isVoice)
        #expect(throws: ServiceError.self) { try SMSContent(many.merging(["more": "x"]) { $1 }) }
    }

    @Test("codes have six digits, and follow from number, purpose and secret")
    func codes() throws {
        let (secret, other) = (SMSSecret(masterKey: Secret("a")), SMSSecret(masterKey: Secret("b")))
        let number = try PhoneNumber("13800000000", country: "86")
        var seen: Set<String> = []
        for _ in 0..<200 {
            let nonce = SMSSecret.nonce()
            let code = secret.code(nonce, .generic, to: number).revealed
            #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) })
            #expect(code == secret.code(nonce, .generic, to: number).revealed)
            seen.insert(code)
            seen.insert(secret.code(nonce, .logIn, to: number).revealed)
            seen.insert(other.code(nonce, .generic, to: number).revealed)
        }
        // 600 of a million: some can be equal.
        #expect(seen.count > 590)
    }

    @Test("fixed numbers are numbers with six digits")
    func fixed() throws {
        let fixed = try #require(FixedNumbers("+86 13800000000=000123, 13800000001=999999", country: "86"))
        #expect(fixed.code(of: try PhoneNumber("13800000000", country: "86"))?.revealed == "000123")
        #expect(fixed.code(of: try PhoneNumber("13800000001", country: "86"))?.revealed == "999999")
        #expect(fixed.code(of: try PhoneNumber("13800000002", country: "86")) == nil)
        #expect(FixedNumbers("", country: "86")?.isEmpty == true)
        for text in ["13800000000", "13800000000=12345", "13800000000=12345a", "x=123456", "13800000000=1=123456"] {
            #expect(FixedNumbers(text, country: "86") == nil)
        }
    }
}
