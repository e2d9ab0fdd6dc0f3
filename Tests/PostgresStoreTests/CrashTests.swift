import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// A database that crashes and comes back while several servers write.
@Suite struct CrashTests {
    /// What the writers know of their objects.
    private final class Ledger: Sendable {
        private let state = Mutex<(acknowledged: Set<String>, open: Set<String>)>(([], []))

        func acknowledge(_ id: String) { _ = state.withLock { $0.acknowledged.insert(id) } }

        /// Notes a write that failed, and so may have happened or not.
        func leaveOpen(_ id: String) { _ = state.withLock { $0.open.insert(id) } }

        var acknowledged: Set<String> { state.withLock(\.acknowledged) }
        var open: Set<String> { state.withLock(\.open) }
    }

    @Test("no acknowledged change is lost, and none counts twice, when the database crashes while servers write")
    func crashes() async throws {
        let folder = "/tmp/lcfile-postgres-crashes-\(getpid())"
        let address = PostgresAddress(url: try Engine.script("start", folder: folder), timeout: 30)
        defer {
            _ = try? Engine.script("stop", folder: folder)
            try? FileManager.default.removeItem(atPath: folder)
        }
        let stores = [try PostgresObjectStore(address), try PostgresObjectStore(address)]
        let (name, counter) = (try ClassName("Task"), try #require(ObjectID("counter")))
        try await stores[0].write { writer in
            try writer.save(ClassSchema(name: name, fields: ["n": FieldDefinition(.number)]))
            try writer.insert(CrashTests.object(counter, number: 0), into: name)
        }
        let (ledger, isOver) = (Ledger(), Counter())
        let (acks, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0... where isOver.value == 0 {
                        let id = try #require(ObjectID("writer\(writer)number\(number)"))
                        do {
                            try await stores[writer % 2].write { transaction in
                                let before = try transaction.object(counter, in: name)?.fields["n"]?.integerValue ?? -1
                                try transaction.update(CrashTests.object(counter, number: before + 1), in: name)
                                try transaction.insert(CrashTests.object(id, number: 1), into: name)
                            }
                            ledger.acknowledge(id.description)
                            continuation.yield()
                        } catch {
                            ledger.leaveOpen(id.description)
                            // As a client that is told to come back.
                            try await Task.sleep(for: .milliseconds(50))
                        }
                        if isOver.value > 0 { return }
                    }
                }
            }
            var count = 0
            for await _ in acks {
                count += 1
                guard count.isMultiple(of: 40) else { continue }
                guard count < 160 else { break }
                try Engine.script("kill", folder: folder)
                try Engine.script("start", folder: folder)
            }
            _ = isOver.next()
            try await group.waitForAll()
        }
        // A server that met the database while it started waits a few seconds before it connects again.
        try await eventually("the server does not reach the database again") {
            do {
                try await stores[0].read { _ in }
                return true
            } catch let error as ServiceError where error.code == .unavailable {
                return false
            }
        }
        let (found, number) = try await stores[0].read { reader in
            let objects = try reader.find(ObjectQuery(name, page: .all)).filter { $0.id != counter }
            return (Set(objects.map(\.id.description)), try reader.object(counter, in: name)?.fields["n"])
        }
        #expect(ledger.acknowledged.subtracting(found).isEmpty)
        #expect(found.subtracting(ledger.acknowledged).isSubset(of: ledger.open))
        #expect(number == .integer(Int64(found.count)))
        for store in stores { try await store.close() }
    }

    private static func object(_ id: ObjectID, number: Int64) -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        return StoredObject(id: id, createdAt: time, updatedAt: time, fields: ["n": .integer(number)])
    }
}
