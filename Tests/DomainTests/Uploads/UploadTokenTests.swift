import Testing

@testable import Domain

@Suite struct UploadTokenTests {
    private let secret = String(repeating: "a", count: 40)

    @Test("a new token is 40 letters and digits, and no two are the same")
    func new() {
        let tokens = (0..<1000).map { _ in UploadToken().revealed }
        #expect(tokens.allSatisfy { $0.wholeMatch(of: /[0-9A-Za-z]{40}/) != nil })
        #expect(Set(tokens).count == 1000)
    }

    @Test("a token is taken alone and as the middle of Qiniu's form", arguments: ["", "app", "a-b_c"])
    func forms(bucket: String) throws {
        let alone = try #require(UploadToken(secret))
        let middle = try #require(UploadToken("\(bucket):\(secret):eyJ9"))
        #expect(alone.revealed == secret)
        #expect(middle.revealed == secret)
    }

    @Test(
        "what no token looks like is none",
        arguments: [
            "", "a", String(repeating: "a", count: 39), String(repeating: "a", count: 41),
            String(repeating: "a", count: 39) + "-", String(repeating: "a", count: 39) + "\u{e9}",
            " " + String(repeating: "a", count: 40), "b:" + String(repeating: "a", count: 40),
            String(repeating: "a", count: 40) + ":b:c", "a:b:" + String(repeating: "a", count: 40),
            "a:b:" + String(repeating: "a", count: 40) + ":c", "::",
        ]
    )
    func refused(text: String) {
        #expect(UploadToken(text) == nil)
    }

    @Test("Qiniu's form is taken back as the same token")
    func roundTrip() throws {
        let token = UploadToken()
        let key = try #require(FileKey("a/b.png"))
        let text = token.qiniuForm(bucket: "app", key: key, deadline: Timestamp(milliseconds: 1_700_000_000_999))
        let back = try #require(UploadToken(text))
        #expect(back.matches(token))
    }

    @Test("the policy in Qiniu's form is padded Base64 for URLs, of scope and deadline")
    func policy() throws {
        let key = try #require(FileKey("照片/~.png"))
        let deadline = Timestamp(milliseconds: 1_700_000_000_999)
        let text = UploadToken().qiniuForm(bucket: "app", key: key, deadline: deadline)
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(parts.first == "app")
        let policy = try #require(parts.last)
        #expect(policy.wholeMatch(of: /[0-9A-Za-z_-]+={0,2}/) != nil)
        #expect(policy.utf8.count.isMultiple(of: 4))
        let bytes = try #require([UInt8](base64: policy))
        let json = try JSONValue(parsing: bytes, field: "policy")
        let expected: JSONValue = ["scope": .string("app:照片/~.png"), "deadline": .integer(1_700_000_000)]
        #expect(json == expected)
    }

    @Test("what is stored is the token's SHA-256")
    func digest() throws {
        let token = try #require(UploadToken(secret))
        #expect(token.digest == "e33cdf9c7f7120b98e8c78408953e07f2ecd183006b5606df349b4c212acf43e")
    }

    @Test("only the same token matches")
    func matches() throws {
        let token = try #require(UploadToken(secret))
        let same = try #require(UploadToken("b:\(secret):p"))
        let other = try #require(UploadToken(String(repeating: "a", count: 39) + "b"))
        #expect(token.matches(same))
        #expect(!token.matches(other))
    }

    @Test("a token that gets into a sentence is not told")
    func hidden() {
        let token = UploadToken()
        #expect("\(token)" == "<token>")
    }
}
