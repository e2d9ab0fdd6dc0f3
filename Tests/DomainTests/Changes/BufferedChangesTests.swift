import Domain
import Support
import Testing

@Suite struct BufferedChangesTests {
    private let store = MemoryObjectStore()
    /// A class that every store has.
    private let task = ClassName.session

    /// Stores an object in a transaction of its own.
    private func create(_ id: String, text: String = "") async throws {
        let now = Timestamp(milliseconds: 0)
        let object = StoredObject(
            id: try #require(ObjectID(id)),
            createdAt: now,
            updatedAt: now,
            fields: ["s": .string(text)]
        )
        try await store.write { [task] in try $0.insert(object, into: task) }
    }

    /// What a reader gets next, as lines.
    private func next(of reader: inout BufferedChanges.Iterator) async throws -> [String] {
        switch try #require(await reader.next(isolation: #isolation)) {
        case .missed: ["missed"]
        case .changes(let changes): changes.map(ChangeLog.line)
        }
    }

    @Test("changes wait in order until they are read")
    func order() async throws {
        let changes = store.changes.buffer([ChangeFilter(task)], count: 10, size: 0)
        var reader = changes.makeAsyncIterator()
        for id in ["a", "b"] { try await create(id) }
        #expect(try await next(of: &reader) == ["created a", "created b"])
        try await create("c")
        #expect(try await next(of: &reader) == ["created c"])
    }

    @Test("a reader that waits is woken")
    func wakes() async throws {
        let changes = store.changes.buffer([ChangeFilter(task)], count: 100, size: 0)
        let lines = Task {
            var lines: [String] = []
            for await event in changes {
                guard case .changes(let changes) = event else { continue }
                lines += changes.map(ChangeLog.line)
                if lines.count == 20 { break }
            }
            return lines
        }
        for number in 0..<20 { try await create("o\(number)") }
        #expect(await lines.value == (0..<20).map { "created o\($0)" })
    }

    @Test(
        "where more waits than the bounds allow it is dropped and said so, and what comes later follows",
        arguments: [(count: 2, size: 1_000_000), (count: 100, size: 250)]
    )
    func bounds(count: Int, size: Int) async throws {
        let changes = store.changes.buffer([ChangeFilter(task, states: .after)], count: count, size: size)
        var reader = changes.makeAsyncIterator()
        let text = String(repeating: "x", count: 100)
        for id in ["a", "b"] { try await create(id, text: text) }
        #expect(try await next(of: &reader) == ["created a after -", "created b after -"])
        for id in ["c", "d", "e", "f"] { try await create(id, text: text) }
        #expect(try await next(of: &reader) == ["missed"])
        #expect(try await next(of: &reader) == ["created f after -"])
    }

    @Test("a transaction that is larger than the bounds is missed as a whole")
    func largeTransaction() async throws {
        let changes = store.changes.buffer([ChangeFilter(task)], count: 3, size: 0)
        var reader = changes.makeAsyncIterator()
        try await store.write { [task] writer in
            for number in 0..<4 {
                let id = try #require(ObjectID("o\(number)"))
                let now = Timestamp(milliseconds: 0)
                try writer.insert(StoredObject(id: id, createdAt: now, updatedAt: now, fields: [:]), into: task)
            }
        }
        #expect(try await next(of: &reader) == ["missed"])
    }

    @Test("a store that lost track tells every subscriber")
    func lostTrack() async throws {
        let log = ChangeLog(of: store)
        let changes = store.changes.buffer([ChangeFilter(task)], count: 10, size: 0)
        var reader = changes.makeAsyncIterator()
        try await create("a")
        store.changes.publishMissed()
        #expect(log.lines == ["created a", "missed"])
        #expect(try await next(of: &reader) == ["missed"])
    }

    @Test("a position counts every change, read, waiting or dropped")
    func positions() async throws {
        let changes = store.changes.buffer(count: 2, size: 1000) { $0 }
        _ = changes.subscription.add(ChangeFilter(task))
        var reader = changes.makeAsyncIterator()
        try await create("a")
        #expect(try await next(of: &reader) == ["created a"])
        #expect(reader.position == 1)
        for id in ["b", "c", "d", "e"] { try await create(id) }
        #expect(changes.position == 5)
        #expect(try await next(of: &reader) == ["missed"])
        #expect(reader.position == 4)
        #expect(try await next(of: &reader) == ["created e"])
        #expect(reader.position == 5)
    }

    @Test("a buffer takes only the changes that its subscriber selects")
    func selection() async throws {
        let changes = store.changes.buffer(count: 10, size: 1000) { $0.filter { $0.id.description != "a" } }
        _ = changes.subscription.add(ChangeFilter(task))
        var reader = changes.makeAsyncIterator()
        for id in ["a", "b"] { try await create(id) }
        #expect(try await next(of: &reader) == ["created b"])
    }

    @Test("the reader ends when its task is cancelled")
    func cancelled() async throws {
        let changes = store.changes.buffer([ChangeFilter(task)], count: 10, size: 0)
        let reading = Task {
            var reader = changes.makeAsyncIterator()
            return await reader.next(isolation: #isolation) == nil
        }
        reading.cancel()
        #expect(await reading.value)
    }

    @Test("the subscription ends with the last reference to its events")
    func released() {
        var changes: BufferedChanges? = store.changes.buffer([ChangeFilter(task, states: .before)], count: 1, size: 0)
        #expect(store.changes.transaction().wantsBefore(.updated, in: task))
        withExtendedLifetime(changes) {}
        changes = nil
        #expect(!store.changes.transaction().wantsBefore(.updated, in: task))
    }
}
