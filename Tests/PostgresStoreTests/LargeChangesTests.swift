import Domain
import Support
import Testing

@testable import PostgresStore

/// Transactions with so many bytes that the log of changes has several rows for them.
@Suite struct LargeChangesTests {
    private static let name: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()
    private static let megabyte = 1 << 20

    private func object(_ id: String, megabytes: Double) throws -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        let text = String(repeating: "x", count: Int(megabytes * Double(LargeChangesTests.megabyte)))
        let fields = ["s": JSONValue.string(text)]
        return StoredObject(id: try #require(ObjectID(id)), createdAt: time, updatedAt: time, fields: fields)
    }

    private func makeClass(_ store: PostgresObjectStore) async throws {
        let schema = ClassSchema(name: LargeChangesTests.name, fields: ["s": FieldDefinition(.string)])
        try await store.write { try $0.save(schema) }
    }

    /// The size of each row of the log that has changes of the class, in bytes; `nil` for one without its changes.
    private func rowSizes(_ store: PostgresObjectStore) throws -> [Int?] {
        let result = try PostgresConnection(store.address).run(
            "SELECT octet_length(changes) FROM change_log WHERE octet_length(changes) > 1000000 OR changes IS NULL"
        )
        return (0..<result.count).map { row in result.integer(row, 0).map { Int($0) } }
    }

    @Test("changes are divided among rows, in their order, and one that is larger than a row has a row of its own")
    func rows() throws {
        var changes = LoggedChanges()
        #expect(changes.rows.map(\.count) == [0])
        for (number, megabytes) in [2.9, 0.9, 1.9, 9, 0.9, 0.9].enumerated() {
            let row = ObjectRow(try object("\(number)", megabytes: megabytes))
            changes.append(LoggedChange(className: LargeChangesTests.name, id: row.id, kind: .created, after: row))
        }
        #expect(changes.rows.map { $0.map(\.id.description) } == [["0", "1"], ["2"], ["3"], ["4", "5"]])
        let size = changes.size
        changes.keepFirst(3)
        #expect(changes.rows.map(\.count) == [2, 1])
        #expect(size - changes.size > 10 * LargeChangesTests.megabyte)
    }

    @Test("states that find no room are not logged, and an undone attempt gives their room back")
    func room() throws {
        var changes = LoggedChanges(maxSize: 3 * LargeChangesTests.megabyte)
        func append(_ id: String) throws {
            let row = ObjectRow(try object(id, megabytes: 1.2))
            changes.append(LoggedChange(className: LargeChangesTests.name, id: row.id, kind: .created, after: row))
        }
        for id in ["0", "1", "2"] { try append(id) }
        let read = try changes.rows.flatMap { try LoggedChange.list(LoggedChange.encoded($0)) }
        #expect(read.map(\.id.description) == ["0", "1", "2"])
        #expect(read.map { $0.after != nil } == [true, true, false])
        changes.keepFirst(1)
        try append("3")
        #expect(changes.rows.flatMap { $0.map { $0.after != nil } } == [true, true])
    }

    @Test("states of the app's classes leave each class of the server its room, also after an undone attempt")
    func serverRoom() throws {
        var changes = LoggedChanges(maxSize: 2 * LargeChangesTests.megabyte)
        let row = ObjectRow(try object("a", megabytes: 1.2))
        for _ in 0..<2 {
            for name in [LargeChangesTests.name, LargeChangesTests.name, .user, .user, .file] {
                changes.append(LoggedChange(className: name, id: row.id, kind: .created, after: row))
            }
            #expect(changes.rows.flatMap { $0.map { $0.after != nil } } == [true, false, true, false, true])
            changes.keepFirst(0)
            #expect(changes.size == 0)
        }
    }

    @Test("a deletion of more rows than one statement has publishes each object once, in the order of the ids")
    func deletions() async throws {
        try await Engine.withStores(1) { stores in
            try await makeClass(stores[0])
            let objects = try (0..<300).map { try object("object\($0)", megabytes: 0) }
            try await stores[0].write { writer in
                for object in objects { try writer.insert(object, into: LargeChangesTests.name) }
            }
            let log = ChangeLog(of: stores[0], [ChangeFilter(LargeChangesTests.name)])
            let ids = Array(objects.map(\.id).reversed())
            let deleted = try await stores[0].write { try $0.delete(ids + ids, in: LargeChangesTests.name) }
            #expect(deleted == Set(ids))
            #expect(log.lines == ids.map { "deleted \($0)" })
        }
    }

    @Test("other servers publish all changes of a large transaction in their order, and miss none")
    func servers() async throws {
        try await Engine.withStores(2) { stores in
            try await makeClass(stores[1])
            let log = ChangeLog(of: stores[1], [ChangeFilter(LargeChangesTests.name)])
            let objects = try (0..<5).map { try object("object\($0)", megabytes: 1.5) }
            try await stores[0].write { writer in
                for object in objects { try writer.insert(object, into: LargeChangesTests.name) }
            }
            let last = try object("last", megabytes: 0)
            try await stores[1].write { try $0.insert(last, into: LargeChangesTests.name) }
            let expected = (objects + [last]).map { "created \($0.id)" }
            try await eventually { log.lines.count == expected.count }
            #expect(log.lines == expected)
            let sizes = try rowSizes(stores[0])
            #expect(sizes.count == 3)
            #expect(sizes.allSatisfy { ($0 ?? .max) < 4 * LargeChangesTests.megabyte })
            // The numbers of the rows are known on new connections.
            for store in stores { #expect(try store.pool.connect().timeline == 0) }
        }
    }

    @Test("changes of different clients that wait for the turn together do not become one large transaction")
    func groups() async throws {
        try await Engine.withStores(1) { stores in
            try await makeClass(stores[0])
            let other = try PostgresConnection(stores[0].address)
            other.later("BEGIN")
            other.takeTurn()
            try other.flush()
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    let object = try object("object\(number)", megabytes: 3)
                    group.addTask {
                        try await stores[0].write { try $0.insert(object, into: LargeChangesTests.name) }
                    }
                    // The first one waits for the turn, and the others for a transaction.
                    guard number == 0 else { continue }
                    let waiting: SQL = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'turn'::regclass"
                    try await eventually { try other.run(waiting).count == 1 }
                }
                try await eventually { stores[0].writer.waitingCount == 7 }
                other.later("COMMIT")
                try other.flush()
                try await group.waitForAll()
            }
            #expect(try rowSizes(stores[0]).count == 8)
            let transactions = try other.run(
                """
                SELECT max(size) FROM (SELECT sum(octet_length(changes)) AS size FROM change_log GROUP BY server, at) AS t
                """
            )
            let largest = try #require(transactions.integer(0, 0))
            #expect(Int(largest) < 7 * LargeChangesTests.megabyte)
        }
    }
}
