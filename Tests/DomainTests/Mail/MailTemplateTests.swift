import Support
import Testing

@testable import Domain

@Suite struct MailTemplateTests {
    private func fault(_ files: [String: String]) -> String? {
        do {
            _ = try MailTemplates(replacing: files, appName: "Example")
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "a template with a fault is refused by its name",
        arguments: [
            ("verify-mail.en.txt", "Subject: a\n{{lnk}} {{link}}", "unknown variable '{{lnk}}'"),
            ("verify-mail.en.txt", "Subject: a\nno link", "does not have the variable '{{link}}'"),
            ("verify-mail.en.txt", "{{link}}", "does not begin with a line 'Subject: …'"),
            ("verify-mail.en.txt", "Subject: {{link}}\n{{link}}", "unknown variable '{{link}}'"),
            ("reset-mail.zh.html", "{{link}} {{", "has '{{' without '}}'"),
            ("page.en.html", "<p>", "does not have the variable '{{content}}'"),
            ("reset-page.en.html", "Title: a\n{{email}}", "does not have the variable '{{form}}'"),
            ("verify-page.en.html", "{{form}}", "does not begin with a line 'Title: …'"),
            ("welcome.en.html", "x", "is not the name of a template"),
        ]
    )
    func faults(name: String, text: String, words: String) {
        let message = fault([name: text])
        #expect(message?.hasPrefix(name) == true)
        #expect(message?.contains(words) == true, "\(message ?? "no fault")")
    }

    @Test("values are escaped in HTML, and unchanged in text")
    func escaping() throws {
        let files = [
            "verify-mail.en.txt": "Subject: For {{app}}\n\n{{ email }} {{link}}",
            "verify-mail.en.html": "<b>{{email}}</b> {{link}}",
        ]
        let templates = try MailTemplates(replacing: files, appName: "A & B")
        let mail = templates.mail(.verify, .english, ["app": "A & B", "email": "<a'\"&>", "link": "http://l"])
        #expect(mail.subject == "For A & B")
        #expect(mail.text == "<a'\"&> http://l")
        #expect(mail.html == "<b>&lt;a&#39;&quot;&amp;&gt;</b> http://l")
    }

    @Test("every mail and page of lcfile exists in both languages", arguments: MailLanguage.allCases)
    func builtIn(language: MailLanguage) throws {
        let templates = try MailTemplates(appName: "A<B")
        for purpose in MailPurpose.allCases {
            let mail = templates.mail(
                purpose,
                language,
                ["app": "A<B", "email": "a@b.cd", "link": "L", "lifetime": "1"]
            )
            #expect(mail.text.contains("L") && mail.html.contains("L") && mail.subject.contains("A<B"))
            let form = templates.page(.form(purpose), language, email: "a&b", markup: "<form>")
            #expect(form.contains("<form>") && form.contains("a&amp;b") && !form.contains("{{"))
            #expect(templates.page(.done(purpose), language, markup: "<a>next</a>").contains("<a>next</a>"))
        }
        #expect(templates.page(.invalid, language).contains("<h1>"))
        #expect(templates.styleHashes.count == 1)
    }

    @Test(
        "the language that a client prefers",
        arguments: [
            ("", MailLanguage.english), ("zh", .chinese), ("zh-CN,zh;q=0.9,en;q=0.8", .chinese),
            ("en-US,en;q=0.9,zh;q=0.8", .english),
            ("fr, zh;q=0.1", .chinese), ("ZH-Hant-TW", .chinese), ("zh;q=0, en;q=0.1", .english), ("zh;q=x", .chinese),
            ("*", .english), (";;;,,,", .english),
        ]
    )
    func languages(text: String, language: MailLanguage) {
        #expect(MailLanguage(acceptLanguage: text) == language)
    }

    @Test(
        "lives of links in words",
        arguments: [
            (604_800, "7 days"), (86_400, "24 hours"), (172_800, "2 days"), (5400, "90 minutes"), (60, "1 minute"),
            (1, "1 minute"),
        ]
    )
    func durations(seconds: Int, words: String) {
        #expect(MailLanguage.english.duration(seconds) == words)
    }

    @Test(
        "the pause grows from its setting to an hour",
        arguments: [(1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (100, 3600)]
    )
    func pauses(failures: Int, seconds: Int64) throws {
        #expect(try MailFixture().settings.delivery.pause(afterFailures: failures) == seconds * 1000)
    }
}
