import Testing

@testable import Domain

@Suite struct MailAddressTests {
    @Test(
        "addresses to which mail can be sent",
        arguments: [
            "a@b.cd", "ann.lee@example.org", "a+tag@sub.example.org", "!#$%&'*+-/=?^_`{|}~@example.org",
            "A@EXAMPLE.ORG", "a@xn--fsqu00a.example", "a@1.example", "a@a-b.example",
            String(repeating: "l", count: 64) + "@example.org",
        ]
    )
    func valid(text: String) {
        #expect(MailAddress(text)?.description == text)
    }

    @Test(
        "other strings are no address",
        arguments: [
            "", "a", "@example.org", "a@", "a@b", "a@@b.cd", "a@b@c.de", ".a@b.cd", "a.@b.cd", "a..b@c.de", "a b@c.de",
            "a@b .cd", "\"a\"@b.cd", "a@[127.0.0.1]", "a@127.0.0.1", "a@-b.cd", "a@b-.cd", "a@b..cd", "a@.cd",
            "a@b.cd.",
            "a@b_c.de", "josé@example.org", "a@例子.example", "a\r\n@b.cd", "a@b.cd\r\nBcc: x@example.org",
            "a@b.cd\n", "a@b.cd\0", "<a@b.cd>", "a,b@c.de", "a(b)@c.de",
            String(repeating: "l", count: 65) + "@example.org",
            "a@" + String(repeating: "l", count: 64) + ".example",
            "a@" + String(repeating: "long.", count: 60) + "example",
        ]
    )
    func invalid(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test(
        "mailboxes with a name",
        arguments: [
            ("a@b.cd", "", "a@b.cd"), ("Ann <a@b.cd>", "Ann", "a@b.cd"),
            ("\"Ann, Lee\" <a@b.cd>", "Ann, Lee", "a@b.cd"),
            ("测试 应用 <a@b.cd>", "测试 应用", "a@b.cd"), ("<a@b.cd>", "", "a@b.cd"), ("  Ann   <a@b.cd>", "Ann", "a@b.cd"),
        ]
    )
    func mailbox(text: String, name: String, address: String) throws {
        let mailbox = try #require(Mailbox(text))
        #expect(mailbox.name == name)
        #expect(mailbox.address.description == address)
    }

    @Test(
        "other strings are no mailbox",
        arguments: [
            "", "Ann", "Ann <a>", "Ann <a@b.cd", "a\r\nBcc: b@c.de <a@b.cd>", "\"A\"B\" <a@b.cd>",
            "A <b@c.de> <a@b.cd>",
        ]
    )
    func noMailbox(text: String) {
        #expect(Mailbox(text) == nil)
    }
}
