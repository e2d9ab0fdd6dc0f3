import CurlMail
import Domain
import Foundation
import Storage
import Support
import Testing

@testable import Server

@Suite struct MailConfigurationTests {
    private func load(_ environment: [String: String]) throws -> ServerConfiguration {
        try ConfigurationLoader(environment: environment).load()
    }

    private let working = ["LCFILE_MAIL_SERVER": "smtp://mail.example.org:25", "LCFILE_MAIL_FROM": "a@example.org"]

    @Test(
        "settings that do not fit together are refused",
        arguments: [
            (["LCFILE_MAIL_FROM": ""], "mail.from"), (["LCFILE_MAIL_USER": "u"], "mail.password"),
            (["LCFILE_MAIL_PASSWORD": "secret"], "mail.user"), (["LCFILE_MAIL_CA_FILE": "/nowhere.pem"], "mail.caFile"),
            (["LCFILE_MAIL_TEMPLATES": "/nowhere"], "mail.templates"),
            (["LCFILE_MAIL_SERVER": "", "LCFILE_ACCOUNTS_VERIFY_EMAIL": "true"], "mail.server"),
            (["LCFILE_MAIL_SERVER": "smtp://user@mail.example.org"], "mail.server"),
            (["LCFILE_MAIL_SERVER": "http://mail.example.org"], "mail.server"),
            (["LCFILE_MAIL_FROM": "a@example.org\r\nBcc: b@example.org"], "mail.from"),
            (["LCFILE_MAIL_REDIRECTS": "https://a.example, javascript:x"], "mail.redirects"),
        ]
    )
    func refused(changes: [String: String], name: String) {
        let error = #expect(throws: ExitError.self) { try load(working.merging(changes) { $1 }) }
        #expect(error?.description.contains(name) == true, "\(error?.description ?? "")")
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("STARTTLS is required with a user and optional without, unless a setting says otherwise")
    func encryption() throws {
        #expect(try load(working).mail.mailServer?.encryption == .optional)
        var environment = working
        environment["LCFILE_MAIL_USER"] = "u"
        environment["LCFILE_MAIL_PASSWORD"] = "p"
        #expect(try load(environment).mail.mailServer?.encryption == .required)
        environment["LCFILE_MAIL_STARTTLS"] = "off"
        #expect(try load(environment).mail.mailServer?.encryption == .off)
        #expect(try load([:]).mail.mailServer == nil)
    }

    @Test("templates of the operator are read, and a fault names the file")
    func templates() async throws {
        try await Samples.withFolder { folder in
            var environment = working
            environment["LCFILE_MAIL_TEMPLATES"] = folder
            let path = "\(folder)/verify-mail.en.txt"
            try "Subject: Ours\n{{link}}".write(toFile: path, atomically: true, encoding: .utf8)
            try "ignored".write(toFile: "\(folder)/.hidden", atomically: true, encoding: .utf8)
            _ = try load(environment)
            try "Subject: Ours\n{{lnk}}".write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: ExitError.self) { try load(environment) }
            #expect(error?.description.contains("verify-mail.en.txt has the unknown variable '{{lnk}}'") == true)
        }
    }

    @Test("no secret is in the changes that the log shows")
    func changes() throws {
        var environment = working
        environment["LCFILE_MAIL_USER"] = "u"
        environment["LCFILE_MAIL_PASSWORD"] = "the secret"
        let loaded = try load(environment)
        #expect(!"\(loaded.changes)".contains("the secret"))
        #expect(loaded.changes.contains { $0.name == "mail.password" })
    }
}
