import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import PostgresStore
@testable import SQLiteStore

/// A copy in the other database follows what servers change.
@Suite struct DeltaTests {
    private struct Stopped: Error {}

    /// A file with a few objects, and a copy of them in a schema.
    private func withCopy(
        _ body: (_ path: String, SQLiteObjectStore, PostgresAddress) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            try await Engine.withAddress { address in
                let path = "\(folder)/db.sqlite"
                let database = try SQLiteDatabase(path: path)
                let store = SQLiteObjectStore(database)
                try await DumpSample.fill(store)
                while try await !database.fillChecksums(limit: 1000) {}
                try DumpSample.copy(path, to: PostgresLoad(into: address, markedAs: "copy"))
                try await body(path, store, address)
                try database.close()
            }
        }
    }

    @Test(
        "copies beside a server and updates give the same bytes, indexes and answers as the original",
        arguments: 1...4
    )
    func follow(seed: UInt64) async throws {
        let texts = seed > 2 ? ["\0", "a\0", "\0b"] : []
        try await Samples.withFolder { folder in
            try await Engine.withAddress { address in
                let (first, second) = ("\(folder)/first.sqlite", "\(folder)/second.sqlite")
                let original = try SQLiteDatabase(path: first)
                let store = SQLiteObjectStore(original)
                var history = try History(seed: seed)
                try await history.run(on: [store])
                try await DumpSample.fill(store)
                while try await !original.fillChecksums(limit: 1000) {}
                try DumpSample.copy(first, to: PostgresLoad(into: address, markedAs: "copy"))
                try DatabaseLoad(into: second).loadAll(of: PostgresDump(of: address))

                history.texts += texts
                for _ in 0..<2 { try await history.go(on: [store]) }
                try await DumpSample.change(store)
                try DumpSample.copy(first, updating: PostgresLoad(into: address, markedAs: "copy"))
                try await history.go(on: [store])
                let tally = try DumpSample.copy(first, updating: PostgresLoad(into: address))
                #expect(try DatabaseLoad(into: second).updateAll(to: PostgresDump(of: address)).rows == tally.rows)
                #expect(try DumpSample.lines(of: second) == DumpSample.lines(of: first))
                #expect(try DumpSample.indexes(of: second) == DumpSample.indexes(of: first))

                let copy = try SQLiteDatabase(path: second)
                let postgres = try PostgresObjectStore(address)
                let stores: [any ObjectStore] = [store, SQLiteObjectStore(copy), postgres]
                for _ in 0..<2 { try await history.go(on: stores) }
                for store in stores { try await DumpSample.goOn(store, number: 5) }
                try await postgres.close()
                for database in [original, copy] { try database.close() }
            }
        }
    }

    @Test("a schema has the mark of a copy until it is updated without one")
    func mark() async throws {
        try await withCopy { path, _, address in
            #expect(try PostgresDump(of: address).id() == "copy")
            try DumpSample.copy(path, updating: PostgresLoad(into: address, markedAs: "copy"))
            #expect(try PostgresDump(of: address).id() == "copy")
            try DumpSample.copy(path, updating: PostgresLoad(into: address))
            let id = try PostgresDump(of: address).id()
            #expect(id.count == 32 && id != "copy")
        }
    }

    @Test("an update that fails leaves the former objects in a schema and in a file, and the next one succeeds")
    func failing() async throws {
        try await withCopy { path, store, address in
            let file = path + ".copy"
            try DatabaseLoad(into: file).loadAll(of: PostgresDump(of: address))
            let (before, id) = (try DumpTally(of: PostgresDump(of: address)), try PostgresDump(of: address).id())
            try await DumpSample.change(store)
            let copy = try DatabaseCopy(reading: path)
            let targets: [any DumpTarget] = [PostgresLoad(into: address), DatabaseLoad(into: file)]
            for target in targets {
                let source = StoppingSource(source: copy, rows: 4) { throw Stopped() }
                #expect(throws: Stopped.self) { try target.updateAll(to: source) }
            }
            #expect(try PostgresDump(of: address).id() == id)
            for source in [try PostgresDump(of: address) as any DumpSource, try DatabaseCopy(reading: file)] {
                try before.requireEqual(DumpTally(of: source))
                try DumpTally(of: source).requireEqual(before)
            }
            for target in targets { try target.updateAll(to: copy) }
        }
    }

    @Test("a class of the copy that the original does not have is named, and nothing changes")
    func otherClass() async throws {
        try await withCopy { path, _, address in
            let server = try PostgresObjectStore(address)
            let (name, object) = (try ClassName("Mine"), try DumpSample.object(1, [:]))
            try await server.write { writer in
                try writer.save(ClassSchema(name: name, fields: [:]))
                try writer.insert(object, into: name)
            }
            try await server.close()
            let failure = #expect(throws: OpenFailure.self) {
                try DumpSample.copy(path, updating: PostgresLoad(into: address))
            }
            #expect(failure?.message == "has objects of Mine, which the original does not have")
            #expect(try DumpTally(of: PostgresDump(of: address)).classes[name]?.rows == 1)
        }
    }

    @Test("two objects with one value of an index that became unique are refused, as in the original")
    func unique() async throws {
        try await withCopy { path, store, address in
            try await DumpSample.change(store)
            // As damage would have it: the schema says that values are unique, and two are equal.
            let text = try await store.read { try $0.schema(of: DumpSample.task) }
            var schema = try #require(text)
            schema.indexes.append(IndexDefinition(fields: [FieldPath(field: "same")], isUnique: true))
            try await DatabaseQueue(path: path).write { [schema] db in
                try db.execute(
                    sql: "UPDATE class SET schema = ? WHERE name = 'Task'",
                    arguments: [String(decoding: schema.storedJSON.encoded(), as: UTF8.self)]
                )
            }
            let failure = #expect(throws: OpenFailure.self) {
                try DumpSample.copy(path, updating: PostgresLoad(into: address))
            }
            #expect(failure?.message.contains("cannot have the unique index same of Task") == true)
            #expect(try PostgresDump(of: address).id() == "copy")
        }
    }
}
