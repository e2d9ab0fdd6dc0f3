import Domain
import Foundation
import Support
import Testing

@testable import PostgresStore

/// What a connection has that comes back to its pool.
@Suite struct ConnectionPoolTests {
    private struct Refused: Error {}

    @Test(
        "prepared statements are released although each body throws",
        arguments: [(600, 10), (100, 4000)]
    )
    func statements(count: Int, length: Int) async throws {
        try await Engine.withAddress { address in
            let pool = ConnectionPool(address)
            for number in 0..<count {
                let text = "SELECT \(number) AS n -- \(String(repeating: "x", count: length))"
                #expect(throws: Refused.self) {
                    try pool.withConnection { connection in
                        try connection.run(SQL(text: text))
                        throw Refused()
                    }
                }
            }
            let found = try pool.withConnection { connection in
                let result = try connection.run("SELECT count(*), sum(length(statement)) FROM pg_prepared_statements")
                return (count: result.integer(0, 0) ?? 0, size: result.integer(0, 1) ?? 0)
            }
            #expect((1...500).contains(found.count))
            #expect(found.size < 300_000)
            pool.close()
        }
    }

    @Test("a body that throws is undone if it has begun a transaction, and otherwise costs no exchange")
    func rollback() async throws {
        try await Engine.withAddress { address in
            let pool = ConnectionPool(address)
            for (begin, further) in [("", 0), ("BEGIN", 1)] {
                var exchanges = 0
                #expect(throws: Refused.self) {
                    try pool.withConnection { connection in
                        if !begin.isEmpty { connection.later(begin) }
                        try connection.run("SELECT 1")
                        exchanges = connection.exchanges
                        throw Refused()
                    }
                }
                try pool.withConnection { connection in
                    #expect(connection.exchanges == exchanges + further)
                    #expect(!connection.isInTransaction)
                }
            }
            pool.close()
        }
    }

    @Test("outdated connections close idle ones once in an interval, and themselves each time")
    func outdated() async throws {
        try await Engine.withAddress { address in
            let pool = ConnectionPool(address, replacingIdleEvery: .seconds(3600))
            /// The processes of two connections that are idle afterwards.
            func processes() throws -> Set<Int64> {
                let query: SQL = "SELECT pg_backend_pid()::bigint"
                return try pool.withConnection { first in
                    try pool.withConnection { second in
                        let results = [try first.run(query), try second.run(query)]
                        return Set(results.compactMap { $0.integer(0, 0) })
                    }
                }
            }
            var idle = try processes()
            for left in [0, 1, 1] {
                let failure = #expect(throws: PostgresError.self) {
                    try pool.withConnection { connection in
                        connection.later("BEGIN READ ONLY")
                        try connection.run("CREATE TABLE task ()")
                    }
                }
                #expect(failure?.concernsSession == true)
                let next = try processes()
                #expect(next.count == 2)
                #expect(idle.intersection(next).count == left)
                idle = next
            }
            pool.close()
        }
    }

    @Test("a server writes again after its database was read-only, with new connections")
    func readOnly() async throws {
        try await Engine.withAddress { plain in
            let role = plain.schema
            let admin = try PostgresConnection(plain)
            try admin.run(SQL(text: "CREATE ROLE \(role) LOGIN SUPERUSER"))
            var url = try #require(URLComponents(string: plain.url))
            url.user = role
            let own = PostgresAddress(url: try #require(url.string), schema: plain.schema, applicationName: role)
            let store = try PostgresObjectStore(own, readers: 2, lookups: 2)
            let name = try ClassName("Task")
            try await store.write { try $0.save(ClassSchema(name: name)) }
            let object = StoredObject(
                id: try #require(ObjectID("a")),
                createdAt: .now(),
                updatedAt: .now(),
                fields: [:]
            )
            try admin.run(SQL(text: "ALTER ROLE \(role) SET default_transaction_read_only = on"))
            try Engine.endConnections(of: own, through: plain)
            await expectFailure(.storageReadOnly) { try await store.write { try $0.insert(object, into: name) } }
            let isFound = try await store.read { try $0.row(object.id, in: name) != nil }
            #expect(!isFound)
            try admin.run(SQL(text: "ALTER ROLE \(role) RESET default_transaction_read_only"))
            try await eventually {
                (try? await store.write { try $0.insert(object, into: name) }) != nil
            }
            try await store.close()
            try admin.run(SQL(text: "DROP OWNED BY \(role) CASCADE"))
            try admin.run(SQL(text: "DROP ROLE \(role)"))
        }
    }
}
