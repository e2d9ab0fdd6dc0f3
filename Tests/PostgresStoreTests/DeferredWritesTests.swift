import Domain
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// Statements of writes wait for the next exchange; what they do is the same as without that.
@Suite struct DeferredWritesTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    private static func object(_ id: String, _ code: String) throws -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        return StoredObject(
            id: try #require(ObjectID(id)),
            createdAt: time,
            updatedAt: time,
            fields: ["code": .string(code)]
        )
    }

    private func withStore(_ body: (PostgresObjectStore) async throws -> Void) async throws {
        try await Engine.withStore { store in
            let index = IndexDefinition(fields: [FieldPath(field: "code")], isUnique: true)
            let fields = ["code": FieldDefinition(.string)]
            try await store.write { try $0.save(ClassSchema(name: Self.task, fields: fields, indexes: [index])) }
            try await body(store)
        }
    }

    @Test("of writes that share a transaction, only that with a duplicate fails, and nothing of it is published")
    func duplicateInGroup() async throws {
        try await withStore { store in
            let log = ChangeLog(of: store, [ChangeFilter(Self.task)])
            try await store.write { try $0.insert(Self.object("first", "taken"), into: Self.task) }
            let refused = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        do {
                            try await store.write { writer in
                                let code = number % 10 == 3 ? "taken" : "code\(number)"
                                try writer.insert(Self.object("object\(number)", code), into: Self.task)
                            }
                            return nil
                        } catch let error as ServiceError where error.code == .duplicateValue {
                            return "object\(number)"
                        }
                    }
                }
                return try await group.reduce(into: [String]()) { if let id = $1 { $0.append(id) } }.sorted()
            }
            #expect(refused == ["object13", "object23", "object3", "object33"])
            #expect(try await store.read { try $0.count(ObjectQuery(Self.task)) } == 37)
            #expect(log.lines.count == 37)
        }
    }

    @Test("what a body only writes costs no exchange: one begins the transaction, and one ends it")
    func exchanges() async throws {
        try await withStore { store in
            let writes: [(String, @Sendable (any WriteTransaction, Int) throws -> Void)] = [
                ("insert", { try $0.insert(Self.object("first\($1)", "\($1)"), into: Self.task) }),
                (
                    "update",
                    { writer, turn in
                        let object = try Self.object("first\(turn)", "\(turn)")
                        try writer.update(try Self.object("first\(turn)", "b\(turn)"), in: Self.task, from: object)
                    }
                ),
                (
                    "ten inserts",
                    { writer, turn in
                        for number in 0..<10 {
                            let object = try Self.object("object\(turn)x\(number)", "\(turn) \(number)")
                            try writer.insert(object, into: Self.task)
                        }
                    }
                ),
            ]
            for (name, write) in writes {
                let marks = Mutex<[(connection: ObjectIdentifier, exchanges: Int)]>([])
                for turn in 0...5 {
                    try await store.write { writer in
                        let connection = try #require(writer as? PostgresTransaction).connection
                        marks.withLock { $0.append((ObjectIdentifier(connection), connection.exchanges)) }
                        if turn < 5 { try write(writer, turn) }
                    }
                }
                // The end of each transaction and the beginning of the next one.
                let all = marks.withLock(\.self)
                let pairs = zip(all, all.dropFirst()).filter { $0.connection == $1.connection }
                #expect(Set(pairs.map { $1.exchanges - $0.exchanges }) == [2], "\(name)")
            }
        }
    }

    @Test("a deletion of many objects reads them with few exchanges")
    func deletion() async throws {
        try await withStore { store in
            let objects = try (0..<300).map { try Self.object("object\($0)", "\($0)") }
            try await store.write { writer in
                for object in objects { try writer.insert(object, into: Self.task) }
            }
            let counted = ExchangeCount(store)
            let service = ObjectService(
                store: counted,
                settings: ObjectSettings(
                    files: FilePresentation(publicURL: "https://f", bucket: "b"),
                    accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
                )
            )
            let deletion = ObjectCommand(Self.task, .delete(objects.map(\.id), where: nil))
            _ = try await service.perform(deletion, as: try Samples.guest())
            #expect(try await store.read { try $0.count(ObjectQuery(Self.task)) } == 0)
            #expect(counted.exchanges < 10)
        }
    }

    @Test("a body that catches a duplicate goes on, in an attempt and after it")
    func caught() async throws {
        try await withStore { store in
            try await store.write { try $0.insert(Self.object("first", "taken"), into: Self.task) }
            try await store.write { writer in
                try writer.insert(Self.object("before", "a"), into: Self.task)
                do {
                    try writer.attempt { try writer.insert(Self.object("second", "taken"), into: Self.task) }
                    try writer.insert(Self.object("uncaught", "b"), into: Self.task)
                } catch let error as ServiceError where error.code == .duplicateValue {
                    try writer.insert(Self.object("after", "b"), into: Self.task)
                }
            }
            let ids = try ["after", "before", "first", "second", "uncaught"].map { try #require(ObjectID($0)) }
            let found = try await store.read { reader in try ids.filter { try reader.row($0, in: Self.task) != nil } }
            #expect(found == Array(ids.prefix(3)))
        }
    }

    @Test("an update of an object that the body has deleted does nothing, and nothing is published but the deletion")
    func updateOfDeleted() async throws {
        try await withStore { store in
            let object = try Self.object("first", "a")
            try await store.write { try $0.insert(object, into: Self.task) }
            let log = ChangeLog(of: store, [ChangeFilter(Self.task)])
            try await store.write { writer in
                _ = try writer.delete(object.id, in: Self.task)
                try writer.update(try Self.object("first", "b"), in: Self.task, from: object)
            }
            #expect(try await store.read { try $0.row(object.id, in: Self.task) } == nil)
            #expect(log.lines == ["deleted first"])
        }
    }

    @Test("a body reads what it has written")
    func reading() async throws {
        try await withStore { store in
            let count = try await store.write { writer in
                for number in 0..<3 { try writer.insert(Self.object("object\(number)", "\(number)"), into: Self.task) }
                return try writer.count(ObjectQuery(Self.task))
            }
            #expect(count == 3)
        }
    }
}

/// Counts the exchanges within the bodies of writes.
private final class ExchangeCount: ObjectStore {
    private let store: PostgresObjectStore
    private let count = Mutex(0)

    init(_ store: PostgresObjectStore) {
        self.store = store
    }

    var changes: ChangeFeed { store.changes }

    var exchanges: Int { count.withLock { $0 } }

    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await store.read(within: budget, body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await store.write { [self] writer in
            let connection = try #require(writer as? PostgresTransaction).connection
            let before = connection.exchanges
            defer { count.withLock { $0 += connection.exchanges - before } }
            return try body(writer)
        }
    }
}
