import Domain
import NIOPosix
import Support
import Testing

@testable import PostgresStore

/// The answer to a commit is lost on the way.
@Suite struct LostAnswerTests {
    @Test("a change whose commit is not answered is answered with success, counts once and is published once")
    func lostAnswer() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct)
            defer { proxy.close() }
            let store = try PostgresObjectStore(address)
            let (name, id) = (try ClassName("Task"), try #require(ObjectID("a")))
            @Sendable func object(_ number: Int64) -> StoredObject {
                let time = Timestamp(milliseconds: 0)
                return StoredObject(id: id, createdAt: time, updatedAt: time, fields: ["n": .integer(number)])
            }
            try await store.write { writer in
                try writer.save(ClassSchema(name: name, fields: ["n": FieldDefinition(.number)]))
                try writer.insert(object(0), into: name)
            }
            let log = ChangeLog(of: store, [ChangeFilter(name, states: .after)])
            for number in 1...3 {
                proxy.loseNextCommit()
                try await store.write { writer in
                    let before = try writer.object(id, in: name)?.fields["n"]?.integerValue ?? -1
                    try writer.update(object(before + 1), in: name)
                }
                #expect(proxy.lossCount == number)
            }
            #expect(try await store.read { try $0.object(id, in: name)?.fields["n"] } == .integer(3))
            #expect(log.lines.filter { $0 != "missed" } == (1...3).map { "updated a after \($0)" })
            try await store.close()
        }
    }

    @Test("a number in the log is a commit only of the server that has it there")
    func numberOfOther() async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, server: "other")
            try await store.prepare()
            try await store.close()
            let pool = ConnectionPool(address)
            let number = try pool.withConnection { connection in
                try connection.run("SELECT number FROM change_log LIMIT 1").integer(0, 0) ?? 0
            }
            for (server, isCommitted) in [("other", true), ("own", false)] {
                let writer = PostgresWriter(
                    pool: pool,
                    thread: NIOThreadPool.singleton,
                    catalog: SharedPostgresCatalog(PostgresCatalog()),
                    relay: ChangeRelay(feed: ChangeFeed(), server: server),
                    id: "",
                    claim: SchemaClaim(.tool, of: server, schema: address.schema),
                    builder: IndexBuilder(pool, quickRows: 0, logger: nil),
                    commits: DurationHistogram(.accesses)
                )
                #expect(try writer.isCommitted(number).get() == isCommitted, "\(server)")
            }
            pool.close()
        }
    }
}
