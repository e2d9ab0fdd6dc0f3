import Support
import Testing

@testable import Domain

/// What is cached of sessions and log-ins follows what is committed, whichever way it was changed.
@Suite struct SessionChangeTests {
    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture(AccountSettings(maxFailures: 2))
    }

    private func logIn(_ name: String, _ password: String = "p4ss") async throws -> String {
        let reply = try await fixture.logIn(#"{"username":"\#(name)","password":"\#(password)"}"#)
        return try #require(reply["sessionToken"]?.stringValue)
    }

    /// Locks a user by wrong passwords.
    private func lock(_ name: String) async {
        for _ in 0..<3 { _ = try? await logIn(name, "wrong") }
        let error = await #expect(throws: ServiceError.self) { try await logIn(name) }
        #expect(error?.code == .lockedOut)
    }

    @Test("the end of one session leaves what is known of others, of the same user too")
    func oneOfMany() async throws {
        let ann = try await fixture.signUp("ann")
        let (other, bob) = (try await logIn("ann"), try await fixture.signUp("bob").token)
        let callers = [
            try await fixture.caller(ann.token), try await fixture.caller(other), try await fixture.caller(bob),
        ]
        let session = try #require(callers[0].user?.session)
        _ = try await fixture.objects.perform(
            ObjectCommand(.session, .delete([session], where: nil)),
            as: fixture.master
        )
        #expect(callers.map { $0.user.map(fixture.cache.isCurrent) } == [false, true, true])
        #expect(try await fixture.caller(ann.token).user == nil)
        #expect(try await fixture.caller(other).user?.id == ann.id)
    }

    @Test("a session that ends in a transaction that fails goes on, and what is known of it with it")
    func failedEnd() async throws {
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        let session = try #require(caller.user?.session)
        let bodies: [@Sendable (any WriteTransaction) throws -> Void] = [
            { writer in
                _ = try writer.delete(session, in: .session)
                throw Broken()
            },
            { writer in
                try? writer.attempt {
                    _ = try writer.delete(session, in: .session)
                    throw Broken()
                }
            },
        ]
        for body in bodies {
            try? await fixture.store.write(body)
            #expect(caller.user.map(fixture.cache.isCurrent) == true)
            #expect(try await fixture.caller(ann.token).user?.id == ann.id)
        }
    }

    @Test("a transaction that has ended a session takes its caller for a guest, before the commit")
    func uncommittedEnd() async throws {
        let ann = try await fixture.caller(try await fixture.signUp("ann").token)
        let bob = try await fixture.caller(try await fixture.signUp("bob").token)
        let session = try #require(ann.user?.session)
        let users = try await fixture.store.write { [dependencies = fixture.dependencies] writer in
            try writer.delete([session], in: .session)
            return try [ann, bob].map { try writer.revalidated($0, dependencies).user?.id }
        }
        #expect(users == [nil, bob.user?.id])
    }

    @Test("a change of no password, user, session or role ends nothing")
    func unrelated() async throws {
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        let epoch = fixture.cache.epoch
        _ = try await fixture.update(ann.id, #"{"city":"Lyon"}"#, in: .user, as: caller)
        _ = try await fixture.create(#"{"n":1}"#, in: ClassName("Task"))
        _ = try await fixture.signUp("bob")
        _ = try await logIn("ann")
        #expect(fixture.cache.epoch == epoch)
    }

    @Test("roles of a user are looked up again after any change of a role", arguments: ["create", "update", "delete"])
    func roles(change: String) async throws {
        let ann = try await fixture.signUp("ann")
        let editors = try await fixture.role("Editors", users: [ann.id])
        let caller = try await fixture.caller(ann.token)
        switch change {
        case "create":
            _ = try await fixture.role("Readers", roles: [editors])
        case "update":
            let pointer = #"{"__type":"Pointer","className":"_User","objectId":"\#(ann.id)"}"#
            let removal = #"{"users":{"__op":"RemoveRelation","objects":[\#(pointer)]}}"#
            try await fixture.update(editors, removal, in: .role, as: fixture.master)
        default:
            let delete = ObjectCommand(.role, .delete([editors], where: nil))
            _ = try await fixture.objects.perform(delete, as: fixture.master)
        }
        #expect(caller.user.map(fixture.cache.isCurrent) == false)
        let expected: Set<String> = change == "create" ? ["Editors", "Readers"] : []
        #expect(try await fixture.caller(ann.token).user?.roles == expected)
    }

    @Test("a new password opens the lock, whichever way it is set; another change of the user does not")
    func unlocks() async throws {
        let ann = try await fixture.signUp("ann")
        await lock("ann")
        _ = try await fixture.update(ann.id, #"{"city":"Lyon"}"#, in: .user, as: fixture.master)
        await lock("ann")
        _ = try await fixture.update(ann.id, #"{"password":"n3w"}"#, in: .user, as: fixture.master)
        _ = try await logIn("ann", "n3w")
        await lock("ann")
        // As an import or a tool would.
        try await fixture.store.write { writer in
            var user = try #require(try writer.object(ann.id, in: .user))
            user.fields[PasswordHash.field] = "plain p4ss"
            try writer.update(user, in: .user)
        }
        _ = try await logIn("ann")
    }

    @Test("a new password in a transaction that fails opens no lock")
    func failedPassword() async throws {
        let ann = try await fixture.signUp("ann")
        await lock("ann")
        await #expect(throws: Broken.self) {
            try await fixture.store.write { writer in
                var user = try #require(try writer.object(ann.id, in: .user))
                user.fields[PasswordHash.field] = "plain n3w"
                try writer.update(user, in: .user)
                throw Broken()
            }
        }
        await lock("ann")
    }

    @Test("after missed changes everyone is looked up again, and locks stay")
    func missed() async throws {
        let ann = try await fixture.signUp("ann")
        _ = try await fixture.signUp("bob")
        let caller = try await fixture.caller(ann.token)
        await lock("bob")
        fixture.store.changes.publishMissed()
        #expect(caller.user.map(fixture.cache.isCurrent) == false)
        await lock("bob")
    }

    @Test("a log-in names no caller but the guest, a change the user who is logged in")
    func callers() async throws {
        let log = ChangeLog(of: fixture.store, [ChangeFilter(.user), ChangeFilter(try ClassName("Task"))])
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        _ = try await fixture.create("{}", in: ClassName("Task"), as: caller)
        // The caller's session ends between its look-up and its change.
        let session = try #require(caller.user?.session)
        _ = try await fixture.store.write { try $0.delete(session, in: .session) }
        _ = try await fixture.create("{}", in: ClassName("Task"), as: caller)
        #expect(log.lines.compactMap { $0.split(separator: " by ").last } == ["guest", "\(ann.id)", "guest"])
    }
}
