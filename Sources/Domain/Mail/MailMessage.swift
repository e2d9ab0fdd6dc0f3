internal import FoundationEssentials

/// A mail as text and as HTML, with everything that its header needs.
package struct MailMessage: Sendable, Hashable {
    /// The sender.
    package var from: Mailbox
    /// Where answers go; `nil` for the sender.
    package var replyTo: Mailbox?
    /// The recipient.
    package var to: MailAddress
    /// The subject.
    package var subject: String
    /// The body for programs that show no HTML.
    package var text: String
    /// The same as a page.
    package var html: String
    /// The left part of `Message-ID`: letters, digits and dots, unique for each sent mail.
    package var id: String
    /// The time of `Date`.
    package var date: Timestamp

    /// The message as SMTP sends it (RFC 5322, RFC 2046): lines that end with CR LF, of at most 78 characters
    /// unless one word, such as an address, is longer.
    ///
    /// Both bodies are in Base64, so that no server changes them and no line of theirs can be taken for another part.
    package var encoded: [UInt8] {
        let boundary = "lcfile-\(id)"
        var lines = [
            "Date: \(date.httpDate.replacing("GMT", with: "+0000"))",
            "From: \(HeaderText.mailbox(from))",
        ]
        if let replyTo { lines.append("Reply-To: \(HeaderText.mailbox(replyTo))") }
        lines += [
            "To: <\(to)>",
            "Subject: \(HeaderText.unstructured(subject))",
            "Message-ID: <\(id)@\(from.address.domain)>",
            "MIME-Version: 1.0",
            // No answering machine answers it (RFC 3834 section 5).
            "Auto-Submitted: auto-generated",
            "Content-Type: multipart/alternative;", " boundary=\"\(boundary)\"",
            "",
        ]
        for (type, body) in [("plain", text), ("html", html)] {
            lines += [
                "--\(boundary)", "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
            ]
            lines += MailMessage.base64Lines(body)
        }
        lines += ["--\(boundary)--", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func base64Lines(_ body: String) -> [String] {
        let canonical = body.split(omittingEmptySubsequences: false) { $0.isNewline }.joined(separator: "\r\n")
        var rest = Data(canonical.utf8).base64EncodedString()[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(76)))
            rest = rest.dropFirst(76)
        }
        return lines
    }
}
