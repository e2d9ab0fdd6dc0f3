import Testing

@testable import Server

@Suite struct SettingWarningTests {
    private static let mail = ["LCFILE_MAIL_SERVER": "smtp://mail.example.org", "LCFILE_MAIL_FROM": "a@example.org"]
    private static let required = ["LCFILE_ACCOUNTS_REQUIRE_VERIFIED_EMAIL": "true"]

    @Test(
        "the start warns of settings that can hardly be meant, and names them",
        arguments: [
            ([:], []),
            (["LCFILE_HOST": "0.0.0.0"], ["publicURL"]),
            (["LCFILE_HOST": "0.0.0.0", "LCFILE_PUBLIC_URL": "https://f.example.org"], []),
            (["LCFILE_HTTP_PROXIES": "10.0.0.1"], ["publicURL"]),
            (required, ["accounts.requireVerifiedEmail"]),
            (required.merging(mail) { $1 }, []),
            (mail.merging(["LCFILE_PUBLIC_URL": "http://f.example.org"]) { $1 }, ["publicURL"]),
            (mail.merging(["LCFILE_PUBLIC_URL": "https://f.example.org"]) { $1 }, []),
            (["LCFILE_PUBLIC_URL": "http://f.example.org"], []),
            (["LCFILE_ACCOUNTS_REQUIRE_VERIFIED_PHONE": "true"], ["accounts.requireVerifiedPhone"]),
            (["LCFILE_SMS_PROVIDER": "log", "LCFILE_ACCOUNTS_REQUIRE_VERIFIED_PHONE": "true"], ["sms.provider"]),
        ] as [([String: String], [String])]
    )
    func warnings(environment: [String: String], expected: [String]) throws {
        let configuration = try ConfigurationLoader(environment: environment.merging(Self.app) { $1 }).load()
        let warnings = configuration.warnings(for: configuration.apps)
        #expect(warnings.map { $0.prefix { $0 != " " } } == expected.map { $0[...] })
    }

    private static let app = [
        "LCFILE_APP_ID": "app", "LCFILE_APP_KEY": "12345678", "LCFILE_MASTER_KEY": "abcdefgh",
    ]
}
