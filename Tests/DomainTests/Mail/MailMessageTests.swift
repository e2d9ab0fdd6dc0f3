import Foundation
import Testing

@testable import Domain

@Suite struct MailMessageTests {
    private func message(
        subject: String = "Hello",
        text: String = "text",
        from: String = "Example <app@example.org>"
    ) throws -> MailMessage {
        MailMessage(
            from: try #require(Mailbox(from)),
            to: try #require(MailAddress("ann@example.net")),
            subject: subject,
            text: text,
            html: "<p>\(text)</p>",
            id: "id.0.abc",
            date: Timestamp(milliseconds: 1_714_636_800_123)
        )
    }

    private func lines(_ message: MailMessage) -> [String] {
        String(decoding: message.encoded, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test("a message has the fields of RFC 5322 and both bodies")
    func whole() throws {
        let base64 = ["dGV4dA==", "PHA+dGV4dDwvcD4="]
        #expect(
            lines(try message()) == [
                "Date: Thu, 02 May 2024 08:00:00 +0000", "From: Example <app@example.org>", "To: <ann@example.net>",
                "Subject: Hello", "Message-ID: <id.0.abc@example.org>", "MIME-Version: 1.0",
                "Auto-Submitted: auto-generated",
                "Content-Type: multipart/alternative;", " boundary=\"lcfile-id.0.abc\"", "", "--lcfile-id.0.abc",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "", base64[0],
                "--lcfile-id.0.abc", "Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: base64", "",
                base64[1], "--lcfile-id.0.abc--", "",
            ]
        )
    }

    @Test(
        "subjects are encoded by RFC 2047, and none begins a line of its own",
        arguments: [
            ("Hello", "Hello"), ("重设密码", "=?UTF-8?B?6YeN6K6+5a+G56CB?="),
            ("a\r\nBcc: x@example.org", "a Bcc: x@example.org"),
            ("a\nb", "a b"), ("=?UTF-8?B?YQ==?=", "=?UTF-8?B?PT9VVEYtOD9CP1lRPT0/PQ==?="), ("", ""),
        ]
    )
    func subjects(text: String, encoded: String) {
        #expect(HeaderText.unstructured(text) == encoded)
    }

    @Test(
        "names are encoded, and none begins a line of its own",
        arguments: [
            ("Example App <a@b.cd>", "Example App <a@b.cd>"), ("测试 <a@b.cd>", "=?UTF-8?B?5rWL6K+V?=\r\n <a@b.cd>"),
            ("\"Ann, Lee\" <a@b.cd>", "=?UTF-8?B?QW5uLCBMZWU=?=\r\n <a@b.cd>"), ("a@b.cd", "<a@b.cd>"),
        ]
    )
    func names(text: String, encoded: String) throws {
        #expect(HeaderText.mailbox(try #require(Mailbox(text))) == encoded)
    }

    @Test("no line is longer than 78 characters, for texts of all kinds", arguments: ["a", "测", "é", "👨‍👩‍👧", "\r", "."])
    func lengths(piece: String) throws {
        let text = String(repeating: piece, count: 500)
        let all = lines(try message(subject: text, text: text, from: "\(String(repeating: "测", count: 60)) <a@b.cd>"))
        #expect(
            all.allSatisfy { $0.utf8.count <= 78 && !$0.hasPrefix(".") && !$0.contains("\n") && !$0.contains("\r") }
        )
        // Encoded words end at whole characters.
        for line in all where line.contains("=?UTF-8?B?") {
            let word = try #require(line.components(separatedBy: "?").dropLast().last)
            let data = try #require(Data(base64Encoded: word))
            #expect(String(validating: data, as: UTF8.self) != nil)
        }
    }

    @Test("bodies have the line ends of mails")
    func lineEnds() throws {
        let encoded = lines(try message(text: "a\nb\r\nc"))
        #expect(encoded.contains(Data("a\r\nb\r\nc".utf8).base64EncodedString()))
    }
}
