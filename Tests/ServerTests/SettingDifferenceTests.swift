import Foundation
import Storage
import Support
import Testing

@testable import Server

/// Which settings a reload finds changed.
@Suite struct SettingDifferenceTests {
    private func load(_ yaml: String) async throws -> ServerConfiguration {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.yaml"
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            return try ConfigurationLoader(file: path).load()
        }
    }

    private static let before = """
        port: 8081
        publicURL: https://a.example.com/one
        uploads: {maxSize: 1GB}
        files: {signingKeys: the-first-long-key}
        apps:
          - {id: a, appKey: 12345678, masterKey: 123456789, styles: {s: imageInfo, t: exif}}
          - {id: b, appKey: 12345678, masterKey: 123456789}
        """

    @Test("the same settings, also in other words, have no difference")
    func same() async throws {
        let other = SettingDifferenceTests.before.replacing("1GB", with: "1024MB") + "\nhost: 127.0.0.1"
        let (old, new) = (try await load(SettingDifferenceTests.before), try await load(other))
        #expect(old.names(changedIn: new).isEmpty)
    }

    @Test(
        "a change is named: of a value, of a hidden part, of a secret, of an app, of a setting that is gone",
        arguments: [
            ("8081", "8082", ["port"]), ("port: 8081", "", ["port"]), ("com/one", "com/two", ["publicURL"]),
            ("first-long", "other-long", ["files.signingKeys"]), ("port:", "storage: s\nport:", ["storage"]),
            ("{id: b, appKey: 12345678", "{id: b, appKey: 12345679", ["apps.b"]),
            ("t: exif", "t: imageAve", ["apps.a"]),
            ("{id: b,", "{id: c,", ["apps.b", "apps.c"]),
            ("1GB}", "2GB}\nlog: {level: debug}", ["log.level", "uploads.maxSize"]),
        ]
    )
    func changed(from old: String, to new: String, names: [String]) async throws {
        let changed = try await load(SettingDifferenceTests.before.replacing(old, with: new))
        #expect(try await load(SettingDifferenceTests.before).names(changedIn: changed) == names)
    }
}
