import Domain
import Foundation
import Storage
import Support
import Testing

@testable import Server

/// Secrets from values, files and credentials.
@Suite struct SecretTests {
    private static let secret = "0123456789abcdef"

    /// Loads settings beside files of these contents; `%` in YAML and variables stands for their folder.
    private func load(
        files: [String: [UInt8]] = [:],
        environment: [String: String] = [:],
        yaml: String = ""
    ) async throws -> ServerConfiguration {
        try await Samples.withFolder { folder in
            for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)")) }
            let path = "\(folder)/settings.yaml"
            try yaml.replacingOccurrences(of: "%", with: folder).write(toFile: path, atomically: true, encoding: .utf8)
            let variables = environment.mapValues { $0.replacingOccurrences(of: "%", with: folder) }
            return try ConfigurationLoader(environment: variables, file: path).load()
        }
    }

    private func refusal(
        files: [String: [UInt8]] = [:],
        environment: [String: String] = [:],
        yaml: String = ""
    ) async throws -> String {
        let error = await #expect(throws: ExitError.self) {
            try await load(files: files, environment: environment, yaml: yaml)
        }
        #expect(error?.exitCode == 78)
        return error?.description ?? ""
    }

    private static let file = "LCFILE_CENSORSHIP_WEBHOOK_SECRET_FILE"

    @Test(
        "a setting's secret comes from each of its sources",
        arguments: [
            ([:], "censorship: { webhookSecret: \(SecretTests.secret) }"),
            ([:], "censorship: { webhookSecretFile: '%/secret' }"),
            ([SecretTests.file: "%/secret"], ""), (["LCFILE_CENSORSHIP_WEBHOOK_SECRET": SecretTests.secret], ""),
            (["CREDENTIALS_DIRECTORY": "%"], ""),
        ] as [([String: String], String)]
    )
    func sources(environment: [String: String], yaml: String) async throws {
        let bytes = Array(Self.secret.utf8)
        let loaded = try await load(
            files: ["secret": bytes, "lcfile.censorship.webhookSecret": bytes, "other.secret": [0xFF]],
            environment: environment,
            yaml: yaml
        )
        #expect(loaded.censorship.secret.matches(Self.secret))
    }

    @Test(
        "one line break at the end is not part of a secret",
        arguments: [("abc\n", "abc"), ("abc\r\n", "abc"), ("abc\n\n", "abc\n"), (" abc ", " abc "), ("\r", "\r")]
    )
    func lineBreak(content: String, secret: String) async throws {
        let loaded = try await load(files: ["secret": Array(content.utf8)], environment: [Self.file: "%/secret"])
        #expect(loaded.censorship.secret.matches(secret))
    }

    @Test(
        "a file that cannot be a secret is refused by its name and path",
        arguments: [
            (nil, "cannot be read: No such file or directory"), ([], "is empty"), ([0x0A], "is empty"),
            ([0xFF, 0x41], "is not UTF-8"), ([UInt8](repeating: 0x41, count: 4097), "has more than 4096 bytes"),
        ] as [([UInt8]?, String)]
    )
    func unusable(content: [UInt8]?, reason: String) async throws {
        let sentence = try await refusal(
            files: content.map { ["secret": $0] } ?? [:],
            environment: [Self.file: "%/secret"]
        )
        #expect(sentence.hasPrefix("censorship.webhookSecretFile: the file /"), "\(sentence)")
        #expect(sentence.hasSuffix("/secret \(reason)"), "\(sentence)")
        #expect(!sentence.contains("AAAA"))
    }

    @Test("a folder is no secret")
    func folder() async throws {
        #expect(try await refusal(environment: [Self.file: "%"]).contains("cannot be read: Is a directory"))
    }

    @Test(
        "two sources of one secret are refused",
        arguments: [
            (
                [SecretTests.file: "%/secret"], "censorship: { webhookSecret: other-secret }",
                "censorship.webhookSecret and censorship.webhookSecretFile are set"
            ),
            (
                ["CREDENTIALS_DIRECTORY": "%"], "censorship: { webhookSecret: other-secret }",
                "censorship.webhookSecret and the credential lcfile.censorship.webhookSecret are set"
            ),
            (
                [:], "apps: [{ id: a, masterKey: other-secret, masterKeyFile: b, appKey: 12345678 }]",
                "masterKey and masterKeyFile are set"
            ),
            (
                ["LCFILE_APP_ID": "a", "LCFILE_APP_KEY": "12345678", "LCFILE_APP_KEY_FILE": "b"]
                    .merging(["LCFILE_MASTER_KEY": "other-secret"]) { first, _ in first }, "",
                "LCFILE_APP_KEY and LCFILE_APP_KEY_FILE are set"
            ),
        ] as [([String: String], String, String)]
    )
    func twoSources(environment: [String: String], yaml: String, reason: String) async throws {
        let files = ["secret": Array(Self.secret.utf8), "lcfile.censorship.webhookSecret": Array(Self.secret.utf8)]
        let sentence = try await refusal(files: files, environment: environment, yaml: yaml)
        #expect(sentence.contains("\(reason); set only one of them"), "\(sentence)")
        #expect(!sentence.contains("other-secret") && !sentence.contains(Self.secret))
    }

    @Test(
        "keys of an app come from files and credentials",
        arguments: [
            ([:], "apps: [{ id: a, appKeyFile: '%/app', masterKeyFile: '%/master' }]"),
            (["CREDENTIALS_DIRECTORY": "%"], "apps: [{ id: a }]"),
            (["CREDENTIALS_DIRECTORY": "%", "LCFILE_SERVER": "x"], "apps: [{ id: a, appKey: null }]"),
            (
                ["LCFILE_APP_ID": "a", "LCFILE_APP_KEY_FILE": "%/app", "LCFILE_MASTER_KEY_FILE": "%/master"], ""
            ),
        ] as [([String: String], String)]
    )
    func appKeys(environment: [String: String], yaml: String) async throws {
        var files = ["app": Array("an-app-key\n".utf8), "master": Array("a-master-key\n".utf8)]
        if environment["CREDENTIALS_DIRECTORY"] != nil {
            (files["lcfile.a.appKey"], files["lcfile.a.masterKey"]) = (files["app"], files["master"])
        }
        let loaded = try await load(files: files, environment: environment, yaml: yaml)
        let app = try #require(loaded.apps.first)
        #expect(app.keys.appKey.matches("an-app-key") && app.keys.masterKey.matches("a-master-key"))
    }

    @Test("the read-only key of the console comes from a credential, as the other keys of an app")
    func consoleReadKey() async throws {
        let loaded = try await load(
            files: ["lcfile.a.consoleReadKey": Array("a-reader-key\n".utf8)],
            environment: ["CREDENTIALS_DIRECTORY": "%"],
            yaml: "apps: [{ id: a, appKey: an-app-key, masterKey: a-master-key }]"
        )
        #expect(loaded.apps.first?.keys.consoleReadKey?.matches("a-reader-key") == true)
    }

    @Test("a credential of the server that no setting has is refused with the one that was meant")
    func unknownCredential() async throws {
        let sentence = try await refusal(
            files: ["lcfile.censorship.webhookSercet": Array(Self.secret.utf8)],
            environment: ["CREDENTIALS_DIRECTORY": "%"]
        )
        let reason = "the credential lcfile.censorship.webhookSercet is not that of a setting or an app; did you mean "
        #expect(sentence == reason + "lcfile.censorship.webhookSecret?")
    }
}
