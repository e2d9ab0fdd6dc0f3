import Domain
import Foundation
import Storage
import Support
import Testing

@testable import Server

@Suite struct SMSConfigurationTests {
    private func load(_ environment: [String: String]) throws -> ServerConfiguration {
        try ConfigurationLoader(environment: environment).load()
    }

    private let working = [
        "LCFILE_SMS_PROVIDER": "webhook", "LCFILE_SMS_WEBHOOK": "https://gateway.example.org/send?to={{number}}",
    ]

    @Test(
        "settings that do not fit together are refused",
        arguments: [
            (["LCFILE_SMS_WEBHOOK": ""], "sms.webhook"), (["LCFILE_SMS_WEBHOOK": "ftp://x"], "sms.webhook"),
            (["LCFILE_SMS_WEBHOOK": "https://x/{{nmber}}"], "unknown variable '{{nmber}}'"),
            (["LCFILE_SMS_WEBHOOK_BODY": "{{"], "sms.webhookBody"),
            (["LCFILE_SMS_WEBHOOK_BODY": "{{secret}}"], "sms.webhookBody"),
            (["LCFILE_SMS_WEBHOOK_HEADERS": "no colon secret"], "sms.webhookHeaders"),
            (["LCFILE_SMS_WEBHOOK_SECRET": "secret"], "sms.webhookSecret"),
            (["LCFILE_SMS_WEBHOOK_FORMAT": "xml"], "sms.webhookFormat"),
            (["LCFILE_SMS_PROVIDER": "smtp"], "sms.provider"),
            (["LCFILE_SMS_FIXED_NUMBERS": "+8613800000000=secret"], "sms.fixedNumbers"),
            (["LCFILE_SMS_TEMPLATES": "/nowhere"], "sms.templates"),
            (["LCFILE_SMS_PROVIDER": "off", "LCFILE_ACCOUNTS_VERIFY_PHONE": "true"], "sms.provider"),
            (["LCFILE_ACCOUNTS_COUNTRY_CODE": "+86"], "accounts.countryCode"),
            (["LCFILE_ACCOUNTS_COUNTRY_CODE": "086"], "accounts.countryCode"),
            (["LCFILE_SMS_CODE_LIFETIME": "1801"], "sms.codeLifetime"),
        ]
    )
    func refused(changes: [String: String], name: String) {
        let error = #expect(throws: ExitError.self) { try load(working.merging(changes) { $1 }) }
        #expect(error?.description.contains(name) == true, "\(error?.description ?? "")")
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains("secret") != true || changes["LCFILE_SMS_WEBHOOK_BODY"] != nil)
    }

    @Test("SMS are on with a provider or with fixed numbers")
    func on() throws {
        #expect(try load([:]).sms.isOn(country: "86") == false)
        #expect(try load(working).sms.isOn(country: "86"))
        #expect(try load(["LCFILE_SMS_PROVIDER": "log"]).sms.isOn(country: "86"))
        #expect(try load(["LCFILE_SMS_FIXED_NUMBERS": "13800000000=123456"]).sms.isOn(country: "86"))
    }

    @Test("the usual body has everything that a relay needs", arguments: SMSWebhook.Format.allCases)
    func usualBody(format: SMSWebhook.Format) throws {
        var environment = working
        environment["LCFILE_SMS_WEBHOOK_FORMAT"] = format.rawValue
        let variables = try load(environment).sms.webhook().body.variables
        switch format {
        case .json: #expect(variables == Set(SMSWebhook.variables))
        case .form: #expect(variables == Set(SMSWebhook.variables).subtracting(["variables"]))
        case .query: #expect(variables.isEmpty)
        }
    }

    @Test("header fields are one a line, and their values are not in the changes that the log shows")
    func headers() throws {
        var environment = working
        environment["LCFILE_SMS_WEBHOOK_BODY"] = "apikey=the secret"
        environment["LCFILE_SMS_WEBHOOK_HEADERS"] = "Authorization: Basic the secret\nX-To: {{number}}\n"
        environment["LCFILE_SMS_FIXED_NUMBERS"] = "13800000000=123456"
        let loaded = try load(environment)
        #expect(try loaded.sms.webhook().headers.map(\.name) == ["Authorization", "X-To"])
        #expect(!"\(loaded.changes)".contains("the secret") && !"\(loaded.changes)".contains("123456"))
        #expect(!"\(loaded.changes)".contains("gateway.example.org"))
        #expect(loaded.changes.contains { $0.name == "sms.webhookHeaders" })
    }

    @Test("templates of the operator are read, and a fault names the file")
    func templates() async throws {
        try await Samples.withFolder { folder in
            var environment = working
            environment["LCFILE_SMS_TEMPLATES"] = folder
            let path = "\(folder)/logIn.txt"
            try "{{code}} for us".write(toFile: path, atomically: true, encoding: .utf8)
            _ = try load(environment)
            try "{{cod}}".write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: ExitError.self) { try load(environment) }
            #expect(error?.description.contains("logIn.txt has the unknown variable '{{cod}}'") == true)
        }
    }
}
