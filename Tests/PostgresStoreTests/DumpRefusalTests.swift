import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import PostgresStore
@testable import SQLiteStore

/// Dumps that are refused or end early, and what they leave behind.
@Suite struct DumpRefusalTests {
    private struct Stopped: Error {}

    private func withFile(_ body: (String, PostgresAddress) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            try await Engine.withAddress { address in
                try await DumpSample.make("\(folder)/db.sqlite")
                try await body(folder, address)
            }
        }
    }

    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("a load that fails leaves nothing, and the next one succeeds")
    func failing() async throws {
        try await withFile { folder, address in
            let copy = try DatabaseCopy(reading: "\(folder)/db.sqlite")
            let source = StoppingSource(source: copy, rows: 2) { throw Stopped() }
            #expect(throws: Stopped.self) { try PostgresLoad(into: address).loadAll(of: source) }
            #expect(throws: Stopped.self) { try DatabaseLoad(into: "\(folder)/new.sqlite").loadAll(of: source) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["db.sqlite"])
            #expect(try DumpTally(of: PostgresDump(of: address)).rows == 0)
            try PostgresLoad(into: address).loadAll(of: copy)
            try DatabaseLoad(into: "\(folder)/new.sqlite").loadAll(of: PostgresDump(of: address))
        }
    }

    @Test("a load whose connection is ended leaves nothing")
    func killed() async throws {
        try await withFile { folder, address in
            let name = "load \(address.schema)"
            let loading = PostgresAddress(url: address.url, schema: address.schema, applicationName: name)
            let copy = try DatabaseCopy(reading: "\(folder)/db.sqlite")
            let source = StoppingSource(source: copy, rows: 2) {
                let result = try PostgresConnection(address).run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = \(name)"
                )
                #expect(result.count == 1)
            }
            #expect(throws: OpenFailure.self) { try PostgresLoad(into: loading).loadAll(of: source) }
            #expect(try DumpTally(of: PostgresDump(of: address)).rows == 0)
            try PostgresLoad(into: address).loadAll(of: copy)
        }
    }

    @Test("a schema and a file that have objects are refused and not changed")
    func full() async throws {
        try await withFile { folder, address in
            let path = "\(folder)/db.sqlite"
            try DumpSample.move(path, to: address)
            let before = try DumpSample.lines(of: path)
            #expect(failure { try DumpSample.move(path, to: address) }.contains("only an empty schema"))
            let load = DatabaseLoad(into: path)
            #expect(failure { try load.loadAll(of: PostgresDump(of: address)) } == "exists already")
            #expect(try DumpSample.lines(of: path) == before)
            #expect(try DumpTally(of: PostgresDump(of: address)).classes[DumpSample.task]?.rows == 3)
        }
    }

    @Test("a damaged row is named, and nothing is loaded")
    func damaged() async throws {
        try await withFile { folder, address in
            let path = "\(folder)/db.sqlite"
            try Damage.change("object2", in: DumpSample.task, of: path)
            let message = failure { try DumpSample.move(path, to: address) }
            #expect(message == "is damaged: the row 2 (Task/object2) does not match its checksum")
            #expect(try DumpTally(of: PostgresDump(of: address)).rows == 0)
        }
    }

    @Test("a row that holds no object is named")
    func broken() async throws {
        try await withFile { folder, address in
            try DumpSample.add(["{}"], acl: "{", to: "\(folder)/db.sqlite")
            let message = failure { try DumpSample.move("\(folder)/db.sqlite", to: address) }
            #expect(message == "cannot take the row 100 (Task/odd0), whose ACL or body is no object")
        }
    }

    @Test("databases of a later version are refused")
    func newer() async throws {
        try await withFile { folder, address in
            let path = "\(folder)/db.sqlite"
            try DumpSample.move(path, to: address)
            try PostgresConnection(address).run("INSERT INTO migration (version) VALUES (99)")
            #expect(failure { _ = try PostgresDump(of: address) }.contains("by a later lcfile"))
            #expect(failure { try DumpSample.move(path, to: address) }.contains("by a later lcfile"))
            try await DatabaseQueue(path: path).write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('v99 later')")
            }
            #expect(failure { _ = try DatabaseCopy(reading: path) }.contains("newer version"))
        }
    }

    @Test("a schema that does not exist is not created by a dump")
    func missing() async throws {
        try await Engine.withAddress { address in
            #expect(failure { _ = try PostgresDump(of: address) }.contains("has no objects of lcfile"))
            let schemas = try PostgresConnection(address).run(
                "SELECT 1 FROM pg_namespace WHERE nspname = \(address.schema)"
            )
            #expect(schemas.count == 0)
        }
    }

    @Test("unique values that differ behind U+0000 are loaded, and stay unique")
    func unique() async throws {
        try await Samples.withFolder { folder in
            try await DumpSample.withServer { store, address in
                try await DumpSample.fill(store)
                let (other, same) = (try DumpSample.object(4, ["s": "a\0b"]), try DumpSample.object(5, ["s": "a\0b"]))
                try await store.write { try $0.insert(other, into: DumpSample.task) }
                let path = "\(folder)/new.sqlite"
                try DatabaseLoad(into: path).loadAll(of: PostgresDump(of: address))
                let database = try SQLiteDatabase(path: path)
                let copy = SQLiteObjectStore(database)
                await #expect(throws: ServiceError.self) {
                    try await copy.write { try $0.insert(same, into: DumpSample.task) }
                }
                let found = try await copy.read { reader in
                    try reader.count(.field(FieldPath(field: "s"), .equals("a\0b")), in: DumpSample.task)
                }
                #expect(found == 1)
                try database.close()
            }
        }
    }
}

/// The damage of a failing disk.
private enum Damage {
    /// Changes a row without its checksum.
    static func change(_ id: String, in name: ClassName, of path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            let number = try #require(try Catalog(db).entries[name]?.number)
            let table = SQLiteStore.ClassTable(number: number).name
            try db.execute(sql: "UPDATE \(table) SET updated_at = updated_at + 1 WHERE id = ?", arguments: [id])
        }
        try queue.close()
    }
}
