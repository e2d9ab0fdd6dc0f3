import Domain
import NIOPosix
import Testing

@testable import PostgresStore

/// Servers that start at the same moment on a schema that does not exist.
@Suite struct FirstStartTests {
    @Test("servers that start together on a new schema all get its tables, once")
    func together() async throws {
        let count = 6
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        for _ in 0..<12 {
            try await Engine.withAddress { address in
                let found = try await withThrowingTaskGroup { group in
                    for _ in 0..<count {
                        group.addTask {
                            try await threads.runIfActive {
                                let connection = try PostgresConnection(address)
                                try SchemaMigration.run(connection, schema: address.schema)
                                let result = try connection.run("SELECT current_schema(), id FROM identity")
                                return [result.text(0, 0), result.text(0, 1), "\(result.count)"]
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(found).count == 1)
                #expect(found.first?.first == address.schema)
                #expect(found.first?.last == "1")
            }
        }
        try await threads.shutdownGracefully()
    }

    @Test("names that lcfile gives to its tables are not those of PostgreSQL's own, which are found first")
    func names() async throws {
        try await Engine.withStore { store in
            let result = try PostgresConnection(store.address).run(
                """
                SELECT string_agg(c.relname, ' ') FROM pg_class c JOIN pg_class own ON own.relname = c.relname \
                WHERE c.relnamespace = 'pg_catalog'::regnamespace AND own.relnamespace = \(store.address.schema)::regnamespace
                """
            )
            #expect(result.text(0, 0) == nil)
        }
    }
}
