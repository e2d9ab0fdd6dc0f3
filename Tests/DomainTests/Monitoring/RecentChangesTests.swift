import Support
import Synchronization
import Testing

@testable import Domain

/// The list of changes for an owner who watches, as changes come and time passes.
@Suite struct RecentChangesTests {
    private let store = MemoryObjectStore()
    private let clock = Clock()
    private let master: Caller

    private final class Clock: Sendable {
        let now = Mutex(ContinuousClock.now)

        func pass(_ duration: Duration) { now.withLock { $0 += duration } }
    }

    init() throws {
        master = Caller(app: try #require(AppID("app")), isMaster: true)
    }

    private func list() -> RecentChanges {
        RecentChanges(of: store.changes, now: { [clock] in clock.now.withLock { $0 } })
    }

    private func create(_ id: String, in name: ClassName = .role) async throws {
        let now = Timestamp(milliseconds: 0)
        let object = StoredObject(id: try #require(ObjectID(id)), createdAt: now, updatedAt: now, fields: [:])
        try await store.write { try $0.insert(object, into: name) }
    }

    private func read(
        _ list: RecentChanges,
        after cursor: RecentChanges.Cursor? = nil,
        in classes: Set<ClassName>? = nil,
        waiting: Duration = .zero
    ) async throws -> RecentChanges.Page {
        try await list.changes(after: cursor, in: classes, waiting: waiting, as: master)
    }

    @Test("the first call begins to watch; later ones get what came after their position, once")
    func order() async throws {
        let list = list()
        try await create("before")
        let first = try await read(list)
        #expect(first.entries.isEmpty && !first.hasMissed)
        for id in ["a", "b"] { try await create(id) }
        let second = try await read(list, after: first.cursor)
        #expect(second.entries.map(\.id.description) == ["a", "b"])
        #expect(try await read(list, after: second.cursor).entries.isEmpty)
    }

    @Test("a reader that waits gets a change when it comes")
    func waiting() async throws {
        let list = list()
        let start = try await read(list).cursor
        let waiting = Task { try await read(list, after: start, waiting: .seconds(20)) }
        try await create("a")
        #expect(try await waiting.value.entries.map(\.id.description) == ["a"])
    }

    @Test("changes of other classes do not end a wait, and classes of the server are not in the list")
    func filter() async throws {
        let list = list()
        let start = try await read(list).cursor
        let waiting = Task { try await read(list, after: start, in: [.user], waiting: .seconds(20)) }
        try await create("a")
        try await create("s", in: .session)
        try await create("u", in: .user)
        #expect(try await waiting.value.entries.map(\.id.description) == ["u"])
        #expect(try await read(list, after: start).entries.map(\.id.description) == ["a", "u"])
    }

    @Test("a reader that is too slow learns that it missed changes")
    func bound() async throws {
        let list = list()
        let start = try await read(list).cursor
        for number in 0...RecentChanges.bound { try await create("o\(number)") }
        let page = try await read(list, after: start)
        #expect(page.hasMissed && page.entries.count == RecentChanges.bound)
        #expect(try await !read(list, after: page.cursor).hasMissed)
    }

    @Test("a position of another list is one with missed changes")
    func otherList() async throws {
        let list = list()
        _ = try await read(list)
        let other = try #require(RecentChanges.Cursor("1-7"))
        #expect(try await read(list, after: other).hasMissed)
    }

    @Test("without a reader for a minute the list ends with the next change, and forgets")
    func idle() async throws {
        let list = list()
        let start = try await read(list).cursor
        clock.pass(.seconds(30))
        try await create("a")
        #expect(list.isWatching)
        clock.pass(.seconds(61))
        try await create("b")
        #expect(!list.isWatching)
        let page = try await read(list, after: start)
        #expect(page.hasMissed && page.entries.isEmpty)
    }

    @Test("the end of the server ends all waits")
    func end() async throws {
        let list = list()
        let start = try await read(list).cursor
        let waiting = Task { try await read(list, after: start, waiting: .seconds(20)) }
        list.end()
        #expect(try await waiting.value.entries.isEmpty)
        #expect(try await read(list, after: start, waiting: .seconds(20)).entries.isEmpty)
    }

    @Test("readers beyond the bound are refused, and do not disturb the others")
    func readers() async throws {
        let list = list()
        let start = try await read(list).cursor
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<(RecentChanges.readers + 1) {
                group.addTask {
                    do {
                        return try await read(list, after: start, waiting: .seconds(20)).entries.count
                    } catch {
                        return -1
                    }
                }
            }
            // The refused one is first: the others wait.
            #expect(await group.next() == -1)
            list.end()
            for await count in group { #expect(count == 0) }
        }
    }

    @Test("without the master key there are no changes")
    func guests() async throws {
        let list = list()
        let guest = Caller(app: master.app)
        await #expect(throws: ServiceError.self) {
            try await list.changes(after: nil, in: nil, waiting: .zero, as: guest)
        }
        #expect(!list.isWatching)
    }

    @Test("only strings of the list are positions", arguments: ["", "1", "-", "1-", "a-1", "1--1", "1-1-1", "-1-1"])
    func cursors(text: String) {
        #expect(RecentChanges.Cursor(text) == nil)
    }
}
