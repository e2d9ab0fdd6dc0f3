import Domain
import PCREPatterns
import Support
import Testing

@Suite struct CQLTests {
    @Test("each statement of the table is read as its equal request of REST, or refused with line and column")
    func table() throws {
        #expect(CQLCase.all.count > 500)
        for one in CQLCase.all {
            do {
                try one.checkParsing()
            } catch {
                Issue.record("\(one.statement): \(error)")
            }
        }
    }

    @Test("each statement that finds objects finds what its equal query of REST finds")
    func searches() async throws {
        try await CQLCase.checkSearches(MemoryObjectStore())
    }

    private func perform(
        _ statement: String,
        _ values: [JSONValue] = [],
        in fixture: ObjectFixture,
        as caller: Caller? = nil
    ) async throws -> CQLReply.Content {
        try await fixture.service().perform(
            try CQLStatement(parsing: statement, values: values, now: .now()),
            engine: PCREEngine(),
            as: caller ?? fixture.client
        ).content
    }

    private func changes(_ content: CQLReply.Content) throws -> [[String: JSONValue]] {
        guard case .changes(let changes) = content else { throw Missing() }
        return changes
    }

    private struct Missing: Error {}

    @Test("an insert creates each row, an update needs its condition, and a delete removes the object")
    func changing() async throws {
        let fixture = try ObjectFixture()
        let rows = try changes(
            try await perform("insert into Task(n, s) values (1, 'a'), (?, ?)", [.integer(2), "b"], in: fixture)
        )
        #expect(rows.map { Set($0.keys) } == [["objectId", "createdAt"], ["objectId", "createdAt"]])
        let id = try #require(rows[0]["objectId"])
        let update = "update Task set n = op('Increment', {amount: ?}) where objectId = ? and n >= ?"
        let updated = try changes(try await perform(update, [.integer(5), id, .integer(1)], in: fixture))
        #expect(updated.map { Set($0.keys) } == [["objectId", "updatedAt"]])
        let unmet = await #expect(throws: ServiceError.self) {
            try await perform(update, [.integer(5), id, .integer(7)], in: fixture)
        }
        #expect(unmet?.code == .noEffect)
        let found = try await fixture.find().compactMap { $0.objectValue?["n"] }
        #expect(found == [.integer(6), .integer(2)])
        #expect(try changes(try await perform("delete from Task where objectId=?", [id], in: fixture)).isEmpty)
        #expect(try await fixture.find().count == 1)
    }

    @Test("the first row of an insert that fails is the error, and the rows before it stay")
    func failingRow() async throws {
        let fixture = try ObjectFixture()
        let error = await #expect(throws: ServiceError.self) {
            try await perform("insert into Task(n) values (1), ('x'), (3)", in: fixture)
        }
        #expect(error?.code == .typeMismatch)
        #expect(try await fixture.find().compactMap { $0.objectValue?["n"] }.contains(.integer(1)))
    }

    @Test("an object whose ACL a caller is not in is neither found nor changed")
    func accessControl() async throws {
        let fixture = try ObjectFixture()
        let secret = try await fixture.create(#"{"n":1,"ACL":{}}"#)
        let id = JSONValue.string(secret.id.description)
        for statement in ["update Task set n = 2 where objectId = ?", "delete from Task where objectId = ?"] {
            let error = await #expect(throws: ServiceError.self) { try await perform(statement, [id], in: fixture) }
            #expect(error?.code == .forbidden)
        }
        guard case .listing(let hidden) = try await perform("select count(*),* from Task", in: fixture),
            case .listing(let shown) = try await perform("select count(*),* from Task", in: fixture, as: fixture.master)
        else { throw Missing() }
        #expect([hidden.count, hidden.objects.count] == [0, 0])
        #expect([shown.count, shown.objects.count] == [1, 1])
    }
}
