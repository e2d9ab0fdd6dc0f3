import Domain
import Support
import Testing

@testable import PostgresStore

/// A database that takes connections and statements and answers nothing.
@Suite struct SilentDatabaseTests {
    @Test("reads and changes are refused once the database was silent for too long, and go on when it answers")
    func silence() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct, timeout: 2, patience: 2)
            defer { proxy.close() }
            let store = try PostgresObjectStore(address)
            try await store.prepare()
            let file = try Samples.record()
            try await FileRecords(store).insert([file])
            proxy.freeze()
            async let change: Void = expectFailure(.unavailable) {
                try await FileRecords(store).insert([try Samples.record()])
            }
            async let read: Void = expectFailure(.unavailable) { _ = try await FileRecords(store).file(id: file.id) }
            _ = await (change, read)
            proxy.freeze(false)
            try await eventually { (try? await FileRecords(store).file(id: file.id))?.id == file.id }
            try await eventually { (try? await FileRecords(store).insert([try Samples.record()])) != nil }
            try await store.close()
        }
    }

    @Test("queries end although the database does not answer their cancellation, and go on with new connections")
    func silentQueries() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct, timeout: 2, patience: 2)
            defer { proxy.close() }
            let store = try PostgresObjectStore(address)
            try await store.prepare()
            @Sendable func find() async throws {
                let budget = QueryBudget(milliseconds: 200, refusal: ServiceError(.timedOut, "too long"))
                _ = try await store.read(within: budget) { try $0.rows(ObjectQuery(.file)) }
            }
            try await eventually { (try? await find()) != nil }
            proxy.freeze()
            let ended = Counter()
            let queries = (0..<6).map { _ in
                Task {
                    await expectFailure(.unavailable) { try await find() }
                    _ = ended.next()
                }
            }
            try await eventually { ended.value == queries.count }
            // The requests to cancel them are never answered.
            proxy.replaceFrozen()
            try await eventually { (try? await find()) != nil }
            try await store.close()
        }
    }

    @Test("a server whose schema was moved away answers as without its database")
    func movedSchema() async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address)
            try await store.prepare()
            try PreparedSchema.drop(address)
            await expectFailure(.unavailable) { try await FileRecords(store).insert([try Samples.record()]) }
            await expectFailure(.unavailable) { _ = try await FileRecords(store).file(id: try Samples.record().id) }
            try await store.close()
        }
    }
}
