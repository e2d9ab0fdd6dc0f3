import Dispatch
import Domain
import GRDB
import Support
import Synchronization
import Testing

@testable import SQLiteStore

@Suite struct GroupCommitTests {
    private func withDatabase(
        maxGroupTime: Duration = .seconds(60),
        _ body: (SQLiteDatabase) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite", maxGroupTime: maxGroupTime)
            try await body(database)
            try database.close()
        }
    }

    @Test(
        "writers that wait at the same time share transactions, for as long as one may take",
        .timeLimit(.minutes(5)),
        arguments: [(Duration.seconds(60), 1), (.zero, 50)]
    )
    func shares(maxGroupTime: Duration, expected: Int) async throws {
        try await withDatabase(maxGroupTime: maxGroupTime) { database in
            let commits = Counter()
            let observer = CommitObserver(commits)
            database.pool.add(transactionObserver: observer, extent: .databaseLifetime)
            let store = SQLiteObjectStore(database)
            // The writer's queue is held until all of them wait, so that they must form one group.
            let hold = DispatchSemaphore(value: 0)
            database.pool.asyncWriteWithoutTransaction { _ in hold.wait() }
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        try await store.write { try $0.save(ClassSchema(name: ClassName("Class\(number)"))) }
                    }
                }
                while database.writes.waitingCount < 50 { await Task.yield() }
                hold.signal()
                try await group.waitForAll()
            }
            #expect(commits.value == expected)
            #expect(try await store.read { try $0.schemas().count } == 50 + ClassSchema.builtIn.count)
        }
    }

    @Test("of a group, the changes of its writers are published in their order, but those of one that failed")
    func publishes() async throws {
        try await withDatabase { database in
            let store = SQLiteObjectStore(database)
            let log = ChangeLog(of: store)
            @Sendable func line(_ number: Int) -> String { "created o\(number)\(number == 7 ? " by master" : "")" }
            let hold = DispatchSemaphore(value: 0)
            database.pool.asyncWriteWithoutTransaction { _ in hold.wait() }
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let object = try StoredObject.named("o\(number)")
                        try? await store.write { writer in
                            if number == 7 { writer.caller = Caller(app: try #require(AppID("app")), isMaster: true) }
                            try writer.insert(object, into: .session)
                            if number == 13 { throw Broken() }
                        }
                        // The answer comes after the publication.
                        #expect(log.lines.contains(line(number)) == (number != 13))
                    }
                    // One after the other, so that their order is known.
                    while database.writes.waitingCount <= number { await Task.yield() }
                }
                hold.signal()
                try await group.waitForAll()
            }
            #expect(log.lines == (0..<20).filter { $0 != 13 }.map(line))
        }
    }

    @Test("the end of a session is known to the later writers of its group, and in the next group to subscribers only")
    func knowsEndings() async throws {
        try await withDatabase { database in
            let store = SQLiteObjectStore(database)
            let object = try StoredObject.named("ended")
            try await store.write { try $0.insert(object, into: .session) }
            let hold = DispatchSemaphore(value: 0)
            database.pool.asyncWriteWithoutTransaction { _ in hold.wait() }
            let knows = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
                for number in 0..<3 {
                    group.addTask {
                        try await store.write { writer in
                            let knows = writer.concernsCallers
                            if number == 1 { try writer.delete([object.id], in: .session) }
                            return (number, knows)
                        }
                    }
                    // One after the other, so that their order is known.
                    while database.writes.waitingCount <= number { await Task.yield() }
                }
                hold.signal()
                return try await group.reduce(into: [false, false, false]) { $0[$1.0] = $1.1 }
            }
            #expect(knows == [false, false, true])
            #expect(try await store.write { $0.concernsCallers } == false)
        }
    }

    @Test("one writer of a group that fails takes nothing of the others with it")
    func failsAlone() async throws {
        try await withDatabase { database in
            let store = SQLiteObjectStore(database)
            let succeeded = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        do {
                            try await store.write { writer in
                                try writer.save(ClassSchema(name: ClassName("Class\(number)")))
                                if number.isMultiple(of: 2) { throw Broken() }
                            }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(succeeded == 20)
            let names = try await store.read {
                try $0.schemas().map(\.name).filter { !$0.isBuiltIn }.map(\.description)
            }
            #expect(Set(names) == Set((0..<40).filter { !$0.isMultiple(of: 2) }.map { "Class\($0)" }))
        }
    }

    @Test(
        "a writer that changes many pages can fail and succeed, whether SQLite keeps them in memory or in a file",
        arguments: [1, 16, 29, 30, 31, 32, 33, 64, 600]
    )
    func changesManyPages(pages: Int) async throws {
        try await withDatabase { database in
            let store = SQLiteObjectStore(database)
            // A row takes most of a page.
            let text = JSONValue.string(String(repeating: "x", count: 3000))
            let objects = (0..<pages).map { _ in StoredObject.sample(["text": text]) }
            let ids = objects.map(\.id)
            try await store.write { writer in
                for object in objects { try writer.insert(object, into: .session) }
            }
            await #expect(throws: Broken.self) {
                try await store.write { writer in
                    _ = try writer.delete(ids, in: .session)
                    throw Broken()
                }
            }
            #expect(try await store.read { try $0.count(.all([]), in: .session) } == pages)
            try await store.write { _ = try $0.delete(ids, in: .session) }
            #expect(try await store.read { try $0.count(.all([]), in: .session) } == 0)
        }
    }

    @Test("when the transaction cannot be committed no writer is told of success, and the next one works")
    func commitFails() async throws {
        try await withDatabase { database in
            let store = SQLiteObjectStore(database)
            let log = ChangeLog(of: store)
            let observer = CommitObserver(nil)
            database.pool.add(transactionObserver: observer, extent: .databaseLifetime)
            observer.refuses.withLock { $0 = true }
            await #expect(throws: Broken.self) {
                try await store.write { writer in
                    try writer.save(ClassSchema(name: ClassName("Lost")))
                    try writer.insert(try .named("lost"), into: .session)
                }
            }
            observer.refuses.withLock { $0 = false }
            #expect(log.lines == [])
            #expect(try await store.read { try $0.schema(of: ClassName("Lost")) } == nil)
            try await store.write { try $0.save(ClassSchema(name: ClassName("Kept"))) }
            #expect(try await store.read { try $0.schema(of: ClassName("Kept")) } != nil)
        }
    }

    @Test("after a commit that failed, one that changes nothing takes the place of its frames before any writer runs")
    func failureIsFinal() async throws {
        try await withDatabase { database in
            let store = SQLiteObjectStore(database)
            let observer = CommitObserver(nil)
            database.pool.add(transactionObserver: observer, extent: .databaseLifetime)
            observer.refuses.withLock { $0 = true }
            let save: @Sendable (any WriteTransaction) throws -> Void = {
                try $0.save(ClassSchema(name: ClassName("Lost")))
            }
            // The disk fails on; a writer that changes nothing is refused as well.
            await #expect(throws: Broken.self) { try await store.write(save) }
            await #expect(throws: Broken.self) { try await store.write { _ in } }
            let before = database.sizes.log
            observer.refuses.withLock { $0 = false }
            try await store.write { _ in }
            let frame: Int64 = 24 + 4096
            #expect(database.sizes.log == before + frame)
            try await store.write { _ in }
            #expect(database.sizes.log == before + frame)
        }
    }
}

extension StoredObject {
    fileprivate static func named(_ id: String) throws -> StoredObject {
        let now = Timestamp(milliseconds: 0)
        return StoredObject(id: try #require(ObjectID(id)), createdAt: now, updatedAt: now, fields: [:])
    }
}

/// Counts commits, or refuses them.
private final class CommitObserver: TransactionObserver, Sendable {
    private let commits: Counter?
    let refuses = Mutex(false)

    init(_ commits: Counter?) {
        self.commits = commits
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { if refuses.withLock({ $0 }) { throw Broken() } }
    func databaseDidCommit(_ db: Database) { _ = commits?.next() }
    func databaseDidRollback(_ db: Database) {}
}
