import Domain
import Foundation
import Storage
import Support
import Testing

@testable import Server

@Suite struct GeneratedAppTests {
    @Test("the first start makes an app that later starts find again, for the owner's eyes only")
    func generatedApp() async throws {
        try await Samples.withFolder { folder in
            let storage = try StorageFolder(path: folder)
            let first = try GeneratedApp(in: storage)
            let second = try GeneratedApp(in: storage)
            #expect(first.isNew)
            #expect(!second.isNew)
            #expect(first.configuration.id == second.configuration.id)
            #expect(second.configuration.keys.masterKey.matches(first.configuration.keys.masterKey.revealed))
            let mode = try FileManager.default.attributesOfItem(atPath: first.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("a half-written draft of the app's file is no app")
    func draft() async throws {
        try await Samples.withFolder { folder in
            try "apps:".write(toFile: "\(folder)/apps.yaml.new", atomically: false, encoding: .utf8)
            let storage = try StorageFolder(path: folder)
            #expect(try GeneratedApp(in: storage).isNew)
        }
    }
}

@Suite struct GreetingTests {
    private func greeting(in folder: String) throws -> Greeting {
        let generated = try GeneratedApp(in: try StorageFolder(path: folder))
        return Greeting(
            configuration: ServerConfiguration(),
            app: generated.configuration,
            generated: generated,
            warnings: []
        )
    }

    @Test("the master key is shown at the first start only")
    func masterKey() async throws {
        try await Samples.withFolder { folder in
            let first = try greeting(in: folder)
            let key = try #require(first.masterKey)
            #expect(first.message(sample: "photo.jpg").contains(key))
            let second = try greeting(in: folder)
            #expect(!second.message(sample: "photo.jpg").contains(key))
            #expect(second.message(sample: "photo.jpg").contains(first.appKey))
        }
    }

    @Test("keys that the operator configured are not printed")
    func configured() throws {
        let app = try AppConfiguration(id: "app", appKey: "configured-key", masterKey: "configured-master")
        let greeting = Greeting(
            configuration: ServerConfiguration(),
            app: app,
            generated: nil,
            warnings: ["The app 'x' is not served."]
        )
        let text = greeting.message(sample: "photo.jpg")
        #expect(text.contains("warning: The app 'x' is not served.\n"))
        #expect(!text.contains("configured-key"))
        #expect(text.contains("http://127.0.0.1:8080"))
    }

    @Test("an app that an earlier start created is not forgotten silently")
    func leftApp() async throws {
        try await Samples.withFolder { folder in
            let storage = try StorageFolder(path: folder)
            let other = try AppConfiguration(id: "other", appKey: "12345678", masterKey: "123456789")
            let before = GeneratedApp.warning(in: storage, beside: [other])
            #expect(before == nil)
            let created = try GeneratedApp(in: storage)
            let warning = GeneratedApp.warning(in: storage, beside: [other]) ?? ""
            #expect(
                warning.hasPrefix("The app '\(created.configuration.id)' that an earlier start created is not served")
            )
            #expect(warning.contains(created.path))
            #expect(!warning.contains(created.configuration.keys.masterKey.revealed))
            let listed = GeneratedApp.warning(in: storage, beside: [other, created.configuration])
            #expect(listed == nil)
            try "apps: [\n".write(toFile: created.path, atomically: true, encoding: .utf8)
            let damaged = GeneratedApp.warning(in: storage, beside: [other]) ?? ""
            #expect(damaged.contains(created.path))
        }
    }
}
