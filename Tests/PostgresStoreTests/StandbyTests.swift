import Domain
import Foundation
import Support
import Testing

@testable import PostgresStore

/// A server of PostgreSQL that only replays the log of another one.
@Suite struct StandbyTests {
    @Test("a store uses no standby, and goes on with the primary server; the doctor's facts tell a standby")
    func standby() async throws {
        let folder = "/tmp/lcfile-postgres-standby-\(getpid())"
        let signal = "\(folder)/data/standby.signal"
        let address = PostgresAddress(url: try Engine.script("start", folder: folder), timeout: 30)
        defer {
            _ = try? Engine.script("stop", folder: folder)
            try? FileManager.default.removeItem(atPath: folder)
        }
        let store = try PostgresObjectStore(address, readers: 2, lookups: 2)
        let name = try ClassName("Task")
        try await store.write { try $0.save(ClassSchema(name: name)) }
        #expect(try !PostgresFacts(reading: address).isReplica)

        try Engine.script("stop", folder: folder)
        try Engine.shell("touch '\(signal)'")
        try Engine.script("start", folder: folder)
        #expect(try PostgresFacts(reading: address).isReplica)
        await expectFailure(.unavailable) { _ = try await store.read { try $0.schemas() } }
        await expectFailure(.unavailable) { try await store.write { try $0.save(ClassSchema(name: name)) } }

        try Engine.script("stop", folder: folder)
        try FileManager.default.removeItem(atPath: signal)
        try Engine.script("start", folder: folder)
        try await eventually { (try? await store.write { try $0.save(ClassSchema(name: name)) }) != nil }
        let schemas = try await store.read { try $0.schemas().map(\.name) }
        #expect(schemas == [name])
        try await store.close()
    }
}
