import Foundation
import HTTPAPI
import Storage
import Support
import Testing

@testable import Server

/// What owners see of the settings.
@Suite struct SettingsInForceTests {
    private func load(_ yaml: String) async throws -> ServerConfiguration {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.yaml"
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            return try ConfigurationLoader(file: path).load()
        }
    }

    private func setting(_ name: String, _ configuration: ServerConfiguration) throws -> SettingInForce {
        let found = configuration.settingsInForce.filter { $0.name == name }
        #expect(found.count == 1, "\(name)")
        return try #require(found.first)
    }

    @Test("each setting is there once, with the value that is in force")
    func values() async throws {
        let settings = try await load("port: 8081\nuploads: {maxSize: 3GB}\nlog: {level: debug}")
        #expect(try setting("port", settings) == .init(name: "port", value: "8081", isDefault: false))
        #expect(try setting("uploads.maxSize", settings).value == "3GB")
        #expect(try setting("log.level", settings).value == "debug")
        #expect(try setting("http.compression", settings).value == "true")
        #expect(try setting("log.buffer", settings) == .init(name: "log.buffer", value: "1MB", isDefault: true))
        #expect(try setting("mail.server", settings) == .init(name: "mail.server", value: nil, isDefault: true))
        #expect(Set(settings.settingsInForce.map(\.name)).count == settings.settingsInForce.count)
    }

    @Test("no secret and no path of a URL has its value there")
    func secrets() async throws {
        let settings = try await load(
            """
            publicURL: https://a.example.com/hidden-path
            files: {signingKeys: the-hidden-long-key}
            apps:
              - {id: a, appKey: hidden-app-key, masterKey: hidden-master, consoleReadKey: hidden-reader}
            """
        )
        let app = try #require(settings.apps.first)
        let all = settings.settingsInForce + app.settingsInForce
        #expect(try setting("files.signingKeys", settings).value == "(set)")
        #expect(app.settingsInForce.first { $0.name == "consoleReadKey" }?.value == "(set)")
        #expect(!all.contains { $0.value?.contains("hidden") == true })
    }

    @Test(
        "sizes have the largest unit without a fraction",
        arguments: [(1, "1"), (1024, "1KB"), (1536, "1536"), (20 << 20, "20MB"), (5 << 30, "5GB"), (2 << 50, "2048TB")]
    )
    func sizes(bytes: Int, text: String) {
        #expect(SettingReader.size(of: Int64(bytes)) == text)
    }
}
