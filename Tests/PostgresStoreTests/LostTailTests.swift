import Domain
import Support
import Testing

@testable import PostgresStore

/// Two servers whose database loses its last transactions, as after a fail-over to a replica that lacks them.
@Suite struct LostTailTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()
    private let lost: ClassName
    private let new: ClassName
    private let session: StoredObject

    init() throws {
        (lost, new) = (try ClassName("Lost"), try ClassName("New"))
        session = try LostTailTests.object("session")
    }

    private static func object(_ id: String) throws -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        return StoredObject(
            id: try #require(ObjectID(id)),
            createdAt: time,
            updatedAt: time,
            fields: ["n": .integer(1)]
        )
    }

    private func insert(_ id: String, _ store: PostgresObjectStore) async throws {
        let object = try LostTailTests.object(id)
        try await store.write { try $0.insert(object, into: LostTailTests.task) }
    }

    /// Writes what the replica has, and then what it lacks: five transactions, of which both servers know four or more.
    private func fill(_ first: PostgresObjectStore, _ second: PostgresObjectStore) async throws -> Replica {
        try await first.write { [session] writer in
            let fields = ["n": FieldDefinition(.number)]
            try writer.save(ClassSchema(name: LostTailTests.task, fields: fields))
            try writer.save(ClassSchema(name: .session, fields: fields))
            try writer.insert(session, into: .session)
        }
        let replica = try Replica(of: first.address.named("replica"))
        try await first.write { [lost] in try $0.save(ClassSchema(name: lost)) }
        for number in 0..<4 { try await insert("lost\(number)", number % 2 == 0 ? first : second) }
        return replica
    }

    /// Waits until servers listen again, whose connections have an application name.
    private func listening(_ count: Int64, _ address: PostgresAddress) async throws {
        let connection = try PostgresConnection(address.named("waiting"))
        try await eventually {
            try connection.run(
                """
                SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) \
                WHERE locktype = 'advisory' AND application_name = \(address.applicationName)
                """
            ).integer(0, 0) == count
        }
    }

    @Test("changes that get the numbers of lost ones are published, and callers are those of the database")
    func numbers() async throws {
        try await Engine.withAddress { plain in
            let address = plain.named(plain.schema)
            let first = try PostgresObjectStore(address, use: .shared)
            let second = try PostgresObjectStore(address, use: .shared)
            let replica = try await fill(first, second)
            try replica.promote()
            try Engine.endConnections(of: address)
            // Afterwards no subscriber hears any more that it missed changes because of the lost connections.
            try await listening(2, address)
            let log = ChangeLog(of: second, [ChangeFilter(LostTailTests.task, states: .after)])
            let cache = AccountDependencies(changes: second.changes, hasher: PlainHasher()).sessionCache
            try await first.write { [new] in try $0.save(ClassSchema(name: new)) }
            try await insert("new", first)
            try await eventually { !log.lines.isEmpty }
            #expect(log.lines == ["created new after 1"])
            // The version of the catalog is the one that the second server knew, too.
            let names = try await second.read { try $0.schemas().map(\.name) }
            #expect(Set(names) == [LostTailTests.task, .session, new])
            #expect(try await second.read { try $0.count(ObjectQuery(LostTailTests.task)) } == 1)
            // The second server has published a lost transaction with this number, too.
            let epoch = cache.epoch
            _ = try await first.write { [session] in try $0.delete([session.id], in: .session) }
            #expect(try await Engine.coordination(second).hasPublishedCallers())
            #expect(cache.epoch > epoch)
            for store in [first, second] {
                #expect(try store.pool.connect().timeline == 1)
                try await store.close()
            }
        }
    }

    @Test("a server that comes back after lost numbers were used again takes no change and no schema for what it knew")
    func overtaken() async throws {
        try await Engine.withAddress { plain in
            let (proxy, slow) = try LossyProxy.between(plain)
            defer {
                proxy.freeze(false)
                proxy.close()
            }
            let near = plain.named("\(plain.schema)_near")
            let first = try PostgresObjectStore(near, use: .shared)
            let second = try PostgresObjectStore(slow, use: .shared)
            let replica = try await fill(first, second)
            let log = ChangeLog(of: second, [ChangeFilter(LostTailTests.task, states: .after)])
            let cache = AccountDependencies(changes: second.changes, hasher: PlainHasher()).sessionCache
            proxy.freeze()
            try replica.promote()
            for address in [near, slow] { try Engine.endConnections(of: address, through: plain) }
            try await first.write { [new] in try $0.save(ClassSchema(name: new)) }
            _ = try await first.write { [session] in try $0.delete([session.id], in: .session) }
            for number in 0..<6 { try await insert("new\(number)", first) }
            let epoch = cache.epoch
            proxy.freeze(false)
            let coordination = try Engine.coordination(second)
            try await eventually { (try? await coordination.hasPublishedCallers()) == true }
            #expect(cache.epoch > epoch)
            let names = try await second.read { try $0.schemas().map(\.name) }
            #expect(Set(names) == [LostTailTests.task, .session, new])
            #expect(try await second.read { try $0.count(ObjectQuery(LostTailTests.task)) } == 6)
            #expect(log.lines.contains("missed"))
            try await insert("later", first)
            try await eventually { log.lines.contains("created later after 1") }
            for store in [first, second] {
                #expect(try store.pool.connect().timeline == 1)
                try await store.close()
            }
        }
    }
}
