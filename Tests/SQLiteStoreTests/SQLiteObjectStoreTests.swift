import Domain
import Foundation
import GRDB
import NIOPosix
import Support
import Testing

@testable import SQLiteStore

@Suite struct SQLiteObjectStoreTests {
    /// Runs a body with a new store, and then expects that all its rows have the right checksums.
    private func withStore(_ body: (SQLiteObjectStore) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            try await body(SQLiteObjectStore(database))
            #expect(try await database.inspectAll().damaged == [])
            try database.close()
        }
    }

    @Test(
        "objects in SQLite keep the contract",
        arguments: ObjectStoreContract.rules + TransactionContract.rules + ReadersContract.rules
            + ChangesContract.rules
    )
    func contract(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test(
        "objects in SQLite keep the contract if bodies run again",
        arguments: ObjectStoreContract.rules + TransactionContract.rules + ChangesContract.rules
            + FileRecordsContract.rules + DeletionQueueContract.rules
    )
    func repeated(rule: ContractRule<any ObjectStore>) async throws {
        // Those of the other contracts run again in memory only.
        try await withStore { try await rule.check(RepeatingStore($0)) }
    }

    @Test(
        "rules that count and then insert hold in SQLite",
        arguments: ConcurrencyContract.rules,
        [false, true]
    )
    func concurrency(rule: ContractRule<any ObjectStore>, repeats: Bool) async throws {
        try await withStore { try await rule.check(repeats ? RepeatingStore($0) : $0) }
    }

    @Test("each statement of CQL that finds objects finds in SQLite what its equal query of REST finds")
    func statements() async throws {
        try await withStore { try await CQLCase.checkSearches($0) }
    }

    @Test("file records in SQLite keep the contract", arguments: FileRecordsContract.rules)
    func files(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test("the deletion queue in SQLite keeps the contract", arguments: DeletionQueueContract.rules)
    func deletions(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test("the trash in SQLite keeps the contract", arguments: TrashContract.rules, [false, true])
    func trash(rule: ContractRule<any ObjectStore>, repeats: Bool) async throws {
        try await withStore { try await rule.check(repeats ? RepeatingStore($0) : $0) }
    }

    @Test("the mail queue in SQLite keeps the contract", arguments: MailQueueContract.rules)
    func mails(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test(
        "devices, relations and feeds in SQLite keep the contract",
        arguments: InstallationContract.rules + FriendshipContract.rules + FeedContract.rules
    )
    func people(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test("codes and the SMS queue in SQLite keep the contract", arguments: SMSContract.rules)
    func sms(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test("a statement opens few arrays, however many tests of an array its condition has", arguments: ["$or", "$and"])
    func openedArrays(word: String) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let name = try ClassName("Task")
            try await SQLiteObjectStore(database).write { writer in
                try writer.save(ClassSchema(name: name, fields: ["a": FieldDefinition(.array)]))
            }
            let tests = (0..<100).map { #"{"a":{"$in":[\#($0),-1]}},{"a":{"$all":[\#($0),-2]}},{"a":\#($0)}"# }
            let json = try JSONValue(
                parsing: Array(#"{"\#(word)":[\#(tests.joined(separator: ","))]}"#.utf8),
                field: "where"
            )
            var parser = ConditionParser(limits: QueryLimits(), engine: NoPatterns())
            let query = ObjectQuery(name, where: try parser.parse(json))
            let text = try await database.pool.read { [catalog = database.catalog.current] db in
                let entry = try #require(catalog.entries[name])
                var compiler = ConditionSQL(catalog: catalog, entry: entry, functions: database.queries.functions)
                return try compiler.find(query).build(db).sql
            }
            #expect(text.components(separatedBy: "json_each(body").count - 1 <= 8)
            try database.close()
        }
    }

    @Test(
        "queries run on threads of lower priority, slow ones on those of the lowest, and all else on none of them",
        arguments: [(nil, 0), (false, 5), (true, 8)] as [(Bool?, CInt)]
    )
    func priority(isSlow: Bool?, niceness: CInt) async throws {
        let threads = (0..<3).map { _ in NIOThreadPool(numberOfThreads: 1) }
        for pool in threads { pool.start() }
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(
                path: "\(folder)/db.sqlite",
                readThreads: ReadThreads(lookups: threads[0], quick: threads[1], slow: threads[2])
            )
            let budget = isSlow.map { _ in QueryBudget(seconds: 60) }
            if isSlow == true { budget?.slowDown() }
            let own = getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), id_t(getpid()))
            let read = try await SQLiteObjectStore(database).read(within: budget) { _ in
                getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0)
            }
            // The queues that all else runs on may have a higher priority than the process.
            #expect(isSlow == nil ? read <= own : read == max(own, niceness))
            try database.close()
        }
        for pool in threads { try await pool.shutdownGracefully() }
    }

    @Test("a query ends inside SQLite once its budget is spent")
    func budget() async throws {
        try await withStore { store in
            let name = try ClassName("Task")
            try await store.write { writer in
                try writer.save(ClassSchema(name: name, fields: ["n": FieldDefinition(.number)]))
                for number in 0..<20_000 {
                    let id = try #require(ObjectID("object\(number)"))
                    let now = Timestamp(milliseconds: 0)
                    let fields = ["n": JSONValue.integer(Int64(number))]
                    try writer.insert(StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields), into: name)
                }
            }
            let slow = Condition.any((0..<300).map { .field(FieldPath(field: "n"), .equals(.integer(-1 - $0))) })
            let budget = QueryBudget(milliseconds: 5, refusal: Broken())
            await #expect(throws: Broken.self) {
                try await store.read(within: budget) { try $0.count(ObjectQuery(name, where: slow)) }
            }
            // The connection is as good as before.
            #expect(try await store.read { try $0.count(ObjectQuery(name)) } == 20_000)
        }
    }

    @Test("conditions as SQL match by the table of cases", arguments: QueryCase.all)
    func queries(table: QueryCase) async throws {
        try await withStore { try await table.check($0) }
    }
}

private struct Broken: Error {}

/// No case of these tests has a regular expression.
private struct NoPatterns: PatternEngine {
    func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern { throw Broken() }
}
