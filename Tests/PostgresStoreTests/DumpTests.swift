import Domain
import GRDB
import Support
import Testing

@testable import PostgresStore
@testable import SQLiteStore

/// All objects of an app on their way from SQLite to PostgreSQL and back.
@Suite struct DumpTests {
    @Test(
        "after SQLite, PostgreSQL and SQLite again all rows have the same bytes, and the history goes on",
        arguments: 1...4
    )
    func roundTrip(seed: UInt64) async throws {
        let texts = seed > 2 ? ["\0", "a\0", "\0b"] : []
        try await Samples.withFolder { folder in
            try await Engine.withAddress { address in
                let (first, second) = ("\(folder)/first.sqlite", "\(folder)/second.sqlite")
                let original = try SQLiteDatabase(path: first)
                var history = try History(seed: seed, texts: texts)
                try await history.run(on: [SQLiteObjectStore(original)])
                try await DumpSample.fill(SQLiteObjectStore(original))
                try await DumpSample.close(original, at: first)

                let loaded = try DumpSample.move(first, to: address)
                #expect(loaded.rows > 80)
                let tally = try DatabaseLoad(into: second).loadAll(of: PostgresDump(of: address))
                #expect(tally.rows == loaded.rows)
                #expect(try DumpSample.lines(of: second) == DumpSample.lines(of: first))
                #expect(try DumpSample.indexes(of: second) == DumpSample.indexes(of: first))

                let databases = [try SQLiteDatabase(path: first), try SQLiteDatabase(path: second)]
                let postgres = try PostgresObjectStore(address)
                let stores: [any ObjectStore] = databases.map { SQLiteObjectStore($0) }
                for _ in 0..<2 { try await history.go(on: stores + [postgres]) }
                for store in stores { try await DumpSample.goOn(store) }
                try await DumpSample.goOn(postgres)
                try await postgres.close()
                for database in databases { try database.close() }
            }
        }
    }

    @Test("a text that no server of today writes comes back byte for byte")
    func oddTexts() async throws {
        try await Samples.withFolder { folder in
            try await Engine.withAddress { address in
                let (first, second) = ("\(folder)/first.sqlite", "\(folder)/second.sqlite")
                try await DumpSample.make(first)
                let bodies = [
                    #"{ "n" : 1.0E2, "z":-0.0, "big":12345678901234567890, "s":"\u00e9\/\u0000\\u0000" }"#,
                    #"{"s":"a\tb\\.\nc","deep":[[[{"k":[null,true,false,1e-7]}]]],"":0}"#, "{}",
                ]
                try DumpSample.add(bodies, to: first)
                try DumpSample.move(first, to: address)
                try DatabaseLoad(into: second).loadAll(of: PostgresDump(of: address))
                let lines = try DumpSample.lines(of: second)
                #expect(lines == (try DumpSample.lines(of: first)))
                for body in bodies { #expect(lines.contains { $0.contains(body) }, "\(body)") }
            }
        }
    }

    @Test("a dump is one snapshot: it has no object that is created while it is read")
    func snapshot() async throws {
        try await DumpSample.withServer { store, address in
            try await DumpSample.fill(store)
            let dump = try PostgresDump(of: address)
            let count = try DumpTally(of: PostgresDump(of: address)).rows
            let late = try DumpSample.object(99, [:])
            try await store.write { try $0.insert(late, into: DumpSample.task) }
            #expect(try DumpTally(of: dump).rows == count)
            #expect(try DumpTally(of: PostgresDump(of: address)).rows == count + 1)
        }
    }

    @Test("a server on the empty schema finds what is loaded, and publishes that it missed changes")
    func runningServer() async throws {
        try await Samples.withFolder { folder in
            try await Engine.withAddress { address in
                try await DumpSample.make("\(folder)/db.sqlite")
                let store = try PostgresObjectStore(address)
                let (missed, continuation) = AsyncStream.makeStream(of: Void.self)
                let subscription = store.changes.subscribe { event in
                    if case .missed = event { continuation.yield() }
                }
                try DumpSample.move("\(folder)/db.sqlite", to: address)
                #expect(try await store.read { try $0.count(.always, in: DumpSample.task) } == 3)
                for await _ in missed { break }
                subscription.cancel()
                try await store.close()
            }
        }
    }

    @Test("a copy for a backup has no unfinished work, and asks PostgreSQL for current records")
    func backup() async throws {
        try await Samples.withFolder { folder in
            try await DumpSample.withServer { store, address in
                let records = [try Samples.record("a.jpg"), try Samples.record("b.jpg")]
                try await FileRecords(store).insert(records)
                let part = try DumpSample.object(1, [:])
                try await store.write { try $0.insert(part, into: .deletion) }
                let copy = try DatabaseCopy(loading: PostgresDump(of: address), at: "\(folder)/copy.sqlite")
                var files: [FileEntry] = []
                try copy.forEachPage { page, _ in files += page }
                #expect(files.map(\.id) == records.map(\.id))
                #expect(try DumpTally(of: copy).classes[.deletion]?.rows == 0)
                try copy.close()

                let current = PostgresFiles(of: address)
                #expect(files.allSatisfy(current.has))
                _ = try await store.write { try $0.delete(records[0].id, in: .file) }
                #expect(files.map(current.has) == [false, true])
                current.close()
            }
        }
    }
}
