import Domain
import Support
import Testing

/// Each request of a batch, and each item of a save, has the rights that its caller has by then (docs/permissions.md).
@Suite struct BatchCallerTests {
    private let fixture: SessionFixture
    private let note: ClassName

    init() throws {
        let secret = SessionSecret(masterKey: Secret("secret"))
        fixture = try SessionFixture(AccountSettings(sessionSecret: secret))
        note = try ClassName("Note")
    }

    /// A note that only the members of the role `Editors` can change.
    private func sharedNote() async throws -> ObjectID {
        let acl = #""ACL":{"role:Editors":{"read":true,"write":true}}"#
        return try fixture.id(of: try await fixture.create("{\(acl)}", in: note, as: fixture.master))
    }

    /// The operation on the members of a role.
    private func members(_ operation: String, _ user: ObjectID) -> String {
        let pointer = String(decoding: Pointer(.user, user).json.encoded(), as: UTF8.self)
        return #"{"users":{"__op":"\#(operation)","objects":[\#(pointer)]}}"#
    }

    @Test("a role that an earlier request gives or takes counts for the next ones", arguments: [false, true])
    func roles(isGiven: Bool) async throws {
        let ann = try await fixture.signUp("ann")
        let role = try await fixture.role("Editors", users: isGiven ? [] : [ann.id])
        _ = try await fixture.update(role, #"{"ACL":{"*":{"write":true}}}"#, in: .role, as: fixture.master)
        let id = try await sharedNote()
        let caller = try await fixture.caller(ann.token)
        let change = members(isGiven ? "AddRelation" : "RemoveRelation", ann.id)
        let items = [
            try fixture.item(change, in: .role, id: role), try fixture.item(#"{"n":1}"#, in: note, id: id),
        ]
        let refusal: ServiceError.Code? = isGiven ? nil : .forbidden
        #expect(try await fixture.save(items, as: caller) == refusal)
        #expect(try await fixture.field("n", of: id, in: note) == (isGiven ? JSONValue.integer(1) : nil))
        let commands = [
            try fixture.change(change, of: role, in: .role), try fixture.change(#"{"n":2}"#, of: id, in: note),
        ]
        #expect(try await fixture.batch(commands, as: caller) == [nil, refusal])
        #expect(try await fixture.field("n", of: id, in: note) == (isGiven ? JSONValue.integer(2) : nil))
    }

    @Test("after the deletion of its user a caller is a guest")
    func deletion() async throws {
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        try await fixture.permit(#"{"create":["users"]}"#, of: note)
        let commands = [
            try fixture.creation("{}", in: note), ObjectCommand(.user, .delete([ann.id], where: nil)),
            try fixture.creation("{}", in: note),
        ]
        #expect(try await fixture.batch(commands, as: caller) == [nil, nil, .forbidden])
        #expect(fixture.store.count(of: note) == 1)
    }

    @Test("a user who sets an own password goes on with the new session and the same roles, also behind a read")
    func password() async throws {
        let ann = try await fixture.signUp("ann")
        _ = try await fixture.role("Editors", users: [ann.id])
        let id = try await sharedNote()
        let caller = try await fixture.caller(ann.token)
        let change = try fixture.change(#"{"n":{"__op":"Increment","amount":1}}"#, of: id, in: note)
        let commands = [
            try fixture.change(#"{"password":"n3w"}"#, of: ann.id, in: .user), change,
            ObjectCommand(.user, .get(ann.id)), change,
            try fixture.change(#"{"city":"Lyon"}"#, of: ann.id, in: .user),
        ]
        #expect(try await fixture.batch(commands, as: caller) == [nil, nil, nil, nil, nil])
        #expect(try await fixture.field("n", of: id, in: note) == .integer(2))
        #expect(try await fixture.caller(ann.token).user == nil)
    }

    @Test("so does one in a save")
    func savedPassword() async throws {
        let ann = try await fixture.signUp("ann")
        _ = try await fixture.role("Editors", users: [ann.id])
        let id = try await sharedNote()
        let items = [
            try fixture.item(#"{"password":"n3w"}"#, in: .user, id: ann.id),
            try fixture.item(#"{"n":1}"#, in: note, id: id),
            try fixture.item(#"{"city":"Lyon"}"#, in: .user, id: ann.id),
        ]
        #expect(try await fixture.save(items, as: fixture.caller(ann.token)) == nil)
        #expect(try await fixture.field("n", of: id, in: note) == .integer(1))
        #expect(try await fixture.field("city", of: ann.id, in: .user) == "Lyon")
    }

    @Test("roles are searched again only after a change that can concern callers")
    func searches() async throws {
        let store = MemoryObjectStore(rehearsing: false)
        let fixture = try SessionFixture(store: store)
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        let role = #"{"__internalId":"R","name":"Editors","ACL":{}}"#
        let notes = try (0..<50).map { try fixture.item(#"{"__internalId":"\#($0)"}"#, in: note) }
        var before = store.textQueryCount
        #expect(try await fixture.save([try fixture.item(role, in: .role)] + notes, as: caller) == nil)
        #expect(fixture.store.count(of: note) == 50)
        // A user without roles costs one query: for the transaction, and after the change of a role.
        #expect(store.textQueryCount - before <= 2)
        before = store.textQueryCount
        let another = try fixture.creation(#"{"name":"Writers","ACL":{}}"#, in: .role)
        let commands = try (0..<50).map { _ in try fixture.creation("{}", in: note) }
        #expect(try await fixture.batch([another] + commands, as: caller).allSatisfy { $0 == nil })
        // One for each transaction: a slow run is split into several.
        #expect(store.textQueryCount - before < 20)
    }

    @Test("a session that another request has ended does not come back by a log-in in the batch")
    func otherLogIn() async throws {
        let user = #"{"authData":{"anonymous":{"id":"1"}}}"#
        let reply = try await fixture.create(user, in: .user)
        let (id, token) = (try fixture.id(of: reply), try #require(reply["sessionToken"]?.stringValue))
        let caller = try await fixture.caller(token)
        _ = try await fixture.accounts.refreshSession(of: id, as: caller)
        let change = try fixture.change(#"{"city":"Lyon"}"#, of: id, in: .user)
        let commands = [try fixture.creation(user, in: .user), change]
        #expect(try await fixture.batch(commands, as: caller) == [nil, .sessionRequired])
    }
}
