import Domain
import Support
import Synchronization
import Testing

@testable import SQLiteStore

@Suite struct RowCacheTests {
    // Any class does.
    private static let task = ClassName.role

    private static func row(_ id: ObjectID, _ number: Int, size: Int = 0) -> ObjectRow {
        let text = String(repeating: "x", count: size)
        return ObjectRow(
            StoredObject(
                id: id,
                createdAt: Timestamp(milliseconds: 0),
                updatedAt: Timestamp(milliseconds: 0),
                fields: ["n": .integer(Int64(number)), "text": .string(text)]
            )
        )
    }

    /// A cache with one object, as one reader and one writer use it.
    private struct Scene {
        let cache = RowCache(bound: 1 << 20)
        let id = ObjectIDGenerator().next()
        var object: Pointer { Pointer(RowCacheTests.task, id) }

        func store(_ number: Int, readAfter moment: RowCache.Moment) {
            cache.store(row(id, number), of: object, readAfter: moment)
        }

        /// The number in the cached row.
        var cached: Int64? { cache.row(object).flatMap { try? $0.row.object().fields["n"]?.integerValue } }
    }

    @Test("a row that was read after its last change is cached, also while another row is committed")
    func caches() {
        let scene = Scene()
        scene.cache.willCommit([scene.object])
        scene.cache.didCommit()
        let moment = scene.cache.moment
        scene.cache.willCommit([Pointer(Self.task, ObjectIDGenerator().next())])
        scene.store(1, readAfter: moment)
        #expect(scene.cached == 1)
        scene.cache.didCommit()
        #expect(scene.cached == 1)
    }

    @Test("a row of more than 64 KB is not cached", arguments: [(60, true), (70, false)])
    func large(kilobytes: Int, isCached: Bool) {
        let scene = Scene()
        let row = Self.row(scene.id, 1, size: kilobytes << 10)
        scene.cache.store(row, of: scene.object, readAfter: scene.cache.moment)
        #expect((scene.cached != nil) == isCached)
    }

    @Test("a changed row is gone before the commit, and is cached again after it")
    func removes() {
        let scene = Scene()
        scene.store(1, readAfter: scene.cache.moment)
        scene.cache.willCommit([scene.object])
        #expect(scene.cached == nil)
        scene.cache.didCommit()
        scene.store(2, readAfter: scene.cache.moment)
        #expect(scene.cached == 2)
    }

    @Test(
        "a row whose snapshot can be older than a commit is not cached",
        arguments: ["stored before the commit ends", "stored after it has ended", "read while it runs"]
    )
    func refusesOldRows(when: String) {
        let scene = Scene()
        var moment = scene.cache.moment
        scene.cache.willCommit([scene.object])
        switch when {
        case "stored before the commit ends":
            scene.store(1, readAfter: moment)
            #expect(scene.cached == nil)
            scene.cache.didCommit()
        case "stored after it has ended":
            scene.cache.didCommit()
            scene.store(1, readAfter: moment)
        default:
            moment = scene.cache.moment
            scene.cache.didCommit()
            scene.store(1, readAfter: moment)
        }
        #expect(scene.cached == nil)
    }

    @Test("rows have the number of commits before them, which tells states apart")
    func numbersStates() {
        let (scene, other) = (Scene(), Pointer(Self.task, ObjectIDGenerator().next()))
        scene.store(1, readAfter: scene.cache.moment)
        let before = scene.cache.row(scene.object)?.commits
        scene.cache.willCommit([other])
        #expect(scene.cache.row(scene.object)?.commits != before)
    }

    @Test("the rows stay within the bound, and those in use stay", arguments: [0, 1000, 50_000])
    func isBounded(bound: Int) {
        let cache = RowCache(bound: bound)
        let ids = (0..<200).map { _ in ObjectIDGenerator().next() }
        for id in ids {
            cache.store(Self.row(id, 0, size: 1000), of: Pointer(Self.task, id), readAfter: cache.moment)
            _ = cache.row(Pointer(Self.task, ids[0]))
        }
        let kept = ids.filter { cache.row(Pointer(Self.task, $0)) != nil }
        #expect(kept.count * 1000 <= bound)
        #expect(kept.isEmpty == (bound < 2000))
        if bound == 50_000 { #expect(kept.first == ids[0]) }
    }

    // MARK: In the store

    private func withStore(
        rowCache: Int = 1 << 20,
        _ body: (SQLiteObjectStore, SQLiteDatabase) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite", rowCache: rowCache)
            let store = SQLiteObjectStore(database)
            try await body(store, database)
            try database.close()
        }
    }

    private func insert(_ store: SQLiteObjectStore, acl: AccessControlList? = nil) async throws -> ObjectID {
        let object = StoredObject(
            id: ObjectIDGenerator().next(),
            createdAt: Timestamp(milliseconds: 1),
            updatedAt: Timestamp(milliseconds: 1),
            acl: acl,
            fields: [:]
        )
        try await store.write { try $0.insert(object, into: Self.task) }
        return object.id
    }

    @Test("the second read by id needs no connection; a read of other things does", arguments: [0, 1 << 20])
    func answers(rowCache: Int) async throws {
        try await withStore(rowCache: rowCache) { store, database in
            let id = try await insert(store)
            let usesDatabase: (@escaping @Sendable (any ReadTransaction) throws -> Void) async throws -> Bool = {
                body in
                let runs = Counter()
                try await store.lookUp { reader in
                    if reader is SQLiteTransaction { _ = runs.next() }
                    try body(reader)
                }
                return runs.value > 0
            }
            #expect(try await usesDatabase { _ = try $0.row(id, in: Self.task) })
            #expect(try await usesDatabase { _ = try $0.row(id, in: Self.task) } == (rowCache == 0))
            #expect(try await usesDatabase { _ = try $0.schemas() })
            #expect(try await usesDatabase { _ = try $0.row(ObjectIDGenerator().next(), in: Self.task) })
            #expect(database.rows.counts.hits == (rowCache == 0 ? 0 : 1))
            #expect(database.rows.counts.misses == (rowCache == 0 ? 0 : 2))
        }
    }

    @Test("a body that goes on after a read that the cache cannot answer runs again")
    func repeats() async throws {
        try await withStore { store, _ in
            let id = try await insert(store)
            _ = try await store.lookUp { try $0.row(id, in: Self.task) }
            let found = try await store.lookUp { reader in
                _ = try? reader.schemas()
                return try? reader.row(id, in: Self.task)
            }
            #expect(found?.id == id)
        }
    }

    @Test("errors of the body reach the caller of a read that the cache answers")
    func throwsErrors() async throws {
        struct Refusal: Error {}
        try await withStore { store, database in
            let id = try await insert(store)
            _ = try await store.lookUp { try $0.row(id, in: Self.task) }
            await #expect(throws: Refusal.self) {
                try await store.lookUp { reader in
                    _ = try reader.row(id, in: Self.task)
                    throw Refusal()
                }
            }
            #expect(database.rows.counts.hits == 1)
        }
    }

    @Test("cached rows of a list are read within their ACLs")
    func checksReaders() async throws {
        try await withStore { store, database in
            let (open, closed) = (try await insert(store), try await insert(store, acl: AccessControlList(stored: [:])))
            let readers = [Readers.unrestricted, .subjects(.guest)]
            for _ in 0..<2 {
                for reader in readers {
                    let found = try await store.lookUp {
                        try $0.rows([open, closed], in: Self.task, readableBy: reader, upTo: .max).map(\.id)
                    }
                    #expect(Set(found) == (reader == .unrestricted ? [open, closed] : [open]))
                }
            }
            #expect(database.rows.counts.hits == 3)
        }
    }

    @Test("a look-up that reads a part of a row caches the whole row")
    func cachesWholeRows() async throws {
        try await withStore { store, database in
            let id = try await insert(store, acl: .everyone)
            for _ in 0..<2 {
                let found = try await store.lookUp {
                    try $0.rows([id], in: Self.task, readableBy: .unrestricted, upTo: .max, reading: .ids)
                }
                #expect(found.map(\.id) == [id])
                #expect(found.allSatisfy { $0.acl == nil })
            }
            #expect(database.rows.counts.hits == 1)
            #expect(database.rows.row(Pointer(Self.task, id))?.row.acl != nil)
        }
    }

    @Test("other reads neither use the cache nor fill it")
    func leavesOthers() async throws {
        try await withStore { store, database in
            let id = try await insert(store)
            for _ in 0..<2 { #expect(try await store.read { try $0.row(id, in: Self.task) } != nil) }
            #expect(database.rows.row(Pointer(Self.task, id)) == nil)
            #expect(database.rows.counts.hits == 0)
        }
    }

    @Test("a deleted object is gone, and comes back with other fields", arguments: [false, true])
    func deletes(insertsAtOnce: Bool) async throws {
        try await withStore { store, _ in
            let id = try await insert(store)
            #expect(try await store.lookUp { try $0.row(id, in: Self.task) } != nil)
            let new = StoredObject(
                id: id,
                createdAt: Timestamp(milliseconds: 2),
                updatedAt: Timestamp(milliseconds: 2),
                fields: [:]
            )
            try await store.write { writer in
                _ = try writer.delete(id, in: Self.task)
                if insertsAtOnce { try writer.insert(new, into: Self.task) }
            }
            if !insertsAtOnce {
                #expect(try await store.lookUp { try $0.row(id, in: Self.task) } == nil)
                try await store.write { try $0.insert(new, into: Self.task) }
            }
            #expect(try await store.lookUp { try $0.object(id, in: Self.task) } == new)
        }
    }

    @Test("an attempt that is undone leaves the row as it was")
    func undoes() async throws {
        struct Undo: Error {}
        try await withStore { store, _ in
            let id = try await insert(store)
            let before = try await store.lookUp { try $0.object(id, in: Self.task) }
            await #expect(throws: Undo.self) {
                try await store.write { writer in
                    var object = try #require(try writer.object(id, in: Self.task))
                    object.fields["n"] = .integer(1)
                    try writer.update(object, in: Self.task)
                    throw Undo()
                }
            }
            #expect(try await store.lookUp { try $0.object(id, in: Self.task) } == before)
        }
    }
}
