import Domain
import Support
import Testing

@Suite struct AccountServiceTests {
    private func refusal(_ body: () async throws -> Void) async -> ServiceError? {
        await #expect(throws: ServiceError.self) { try await body() }
    }

    @Test("a name that nobody has costs as much work as a wrong password")
    func enumerationByTime() async throws {
        let fixture = try SessionFixture()
        _ = try await fixture.signUp("ann")
        let before = fixture.hasher.work
        _ = await refusal { _ = try await fixture.logIn(#"{"username":"ann","password":"x"}"#) }
        let known = fixture.hasher.work - before
        _ = await refusal { _ = try await fixture.logIn(#"{"username":"bob","password":"x"}"#) }
        #expect(fixture.hasher.work - before == 2 * known)
    }

    @Test("names that nobody has and wrong passwords sound alike only where it is asked for", arguments: [false, true])
    func enumerationByMessage(isHidden: Bool) async throws {
        let fixture = try SessionFixture(AccountSettings(hidesUnknownUsers: isHidden))
        _ = try await fixture.signUp("ann")
        let wrong = await refusal { _ = try await fixture.logIn(#"{"username":"ann","password":"x"}"#) }
        let unknown = await refusal { _ = try await fixture.logIn(#"{"username":"bob","password":"x"}"#) }
        #expect(wrong?.code == .wrongPassword)
        #expect(unknown?.code == (isHidden ? .wrongPassword : .userNotFound))
        #expect((unknown?.message == wrong?.message) == isHidden)
    }

    @Test(
        "the reply to a change with fetchWhenSave has the fields that follow from those that were set, if they changed",
        arguments: [
            (#"{"email":"b@example.com"}"#, ["email", "emailVerified"]),
            (#"{"mobilePhoneNumber":"+8613800000001"}"#, ["mobilePhoneNumber", "mobilePhoneVerified"]),
            (#"{"email":{"__op":"Delete"}}"#, ["emailVerified"]), (#"{"city":"Lyon"}"#, ["city"]),
            (#"{"email":"a@example.com"}"#, ["email"]),
            (#"{"username":"ann","password":"p4ss"}"#, ["authData", "username"]),
            (#"{"username":"ann"}"#, ["username"]),
        ]
    )
    func derivedFields(change: String, expected: [String]) async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.create(
            #"""
            {"authData":{"anonymous":{"id":"a"}},"email":"a@example.com","mobilePhoneNumber":"+8613800000000",
            "emailVerified":true,"mobilePhoneVerified":true}
            """#,
            in: .user,
            as: fixture.master
        )
        let id = try #require(user["objectId"]?.stringValue.flatMap(ObjectID.init))
        let reply = try await fixture.update(id, change, in: .user, as: fixture.master)
        #expect(reply.keys.filter { !["objectId", "updatedAt"].contains($0) }.sorted() == expected)
        if expected.contains("emailVerified") { #expect(reply["emailVerified"] == .bool(false)) }
        if expected.contains("authData") { #expect(reply["authData"] == .object([:])) }
    }

    @Test("a name that nobody has is locked like any other")
    func unknownIsLocked() async throws {
        let fixture = try SessionFixture(AccountSettings(maxFailures: 2))
        for _ in 0..<3 { _ = await refusal { _ = try await fixture.logIn(#"{"username":"bob","password":"x"}"#) } }
        let error = await refusal { _ = try await fixture.logIn(#"{"username":"bob","password":"x"}"#) }
        #expect(error?.code == .lockedOut)
    }

    @Test("where unknown users are hidden, a lock concerns one name, and a new password ends it")
    func hiddenLock() async throws {
        let fixture = try SessionFixture(AccountSettings(maxFailures: 2, hidesUnknownUsers: true))
        let fields = #""username":"ann","email":"ann@example.org","mobilePhoneNumber":"13800000000","password":"p4ss""#
        let id = try fixture.id(of: try await fixture.create("{\(fields)}", in: .user))
        let names = [
            #""username":"ann""#, #""email":"ann@example.org""#, #""mobilePhoneNumber":"+8613800000000""#,
        ]
        for name in names {
            for code in [ServiceError.Code.wrongPassword, .wrongPassword, .wrongPassword, .lockedOut] {
                let error = await refusal { _ = try await fixture.logIn(#"{\#(name),"password":"x"}"#) }
                #expect(error?.code == code)
            }
        }
        _ = try await fixture.update(id, #"{"password":"n3w"}"#, in: .user, as: fixture.master)
        for name in names { _ = try await fixture.logIn(#"{\#(name),"password":"n3w"}"#) }
    }

    @Test("a hash from elsewhere is replaced at the first log-in")
    func rehash() async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.signUp("ann")
        try await fixture.store.write { writer in
            var object = try #require(try writer.object(user.id, in: .user))
            object.fields[PasswordHash.field] = "old p4ss"
            try writer.update(object, in: .user)
        }
        _ = try await fixture.logIn(#"{"username":"ann","password":"p4ss"}"#)
        let hash = try await fixture.store.read { try $0.object(user.id, in: .user)?.fields[PasswordHash.field] }
        #expect(hash == "plain p4ss")
    }

    @Test("the oldest session ends when there are too many")
    func tooMany() async throws {
        let fixture = try SessionFixture(AccountSettings(maxSessions: 2))
        let first = try await fixture.signUp("ann").token
        #expect(try await fixture.caller(first).user != nil)
        let second = try #require(
            try await fixture.logIn(#"{"username":"ann","password":"p4ss"}"#)["sessionToken"]?.stringValue
        )
        _ = try await fixture.logIn(#"{"username":"ann","password":"p4ss"}"#)
        #expect(try await fixture.caller(first).user == nil)
        #expect(try await fixture.caller(second).user != nil)
    }

    @Test(
        "a new password ends all sessions and begins another one, unless the settings keep them",
        arguments: [true, false]
    )
    func newPassword(ends: Bool) async throws {
        let fixture = try SessionFixture(AccountSettings(endsSessions: ends))
        let user = try await fixture.signUp("ann")
        let other = try #require(
            try await fixture.logIn(#"{"username":"ann","password":"p4ss"}"#)["sessionToken"]?.stringValue
        )
        let reply = try await fixture.update(
            user.id,
            #"{"password":"n3w"}"#,
            in: .user,
            as: fixture.caller(user.token)
        )
        for token in [user.token, other] { #expect((try await fixture.caller(token).user == nil) == ends) }
        #expect((reply["sessionToken"] != nil) == ends)
        guard ends else { return }
        let renewed = try #require(reply["sessionToken"]?.stringValue)
        #expect(try await fixture.caller(renewed).user?.id == user.id)
    }

    @Test("what a token stands for is kept in memory only as long as it is true")
    func cache() async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.signUp("ann")
        let editors = try await fixture.role("Editors")
        #expect(try await fixture.caller(user.token).user?.roles == [])
        let pointer = #"{"__type":"Pointer","className":"_User","objectId":"\#(user.id)"}"#
        try await fixture.update(
            editors,
            #"{"users":{"__op":"AddRelation","objects":[\#(pointer)]}}"#,
            in: .role,
            as: fixture.master
        )
        #expect(try await fixture.caller(user.token).user?.roles == ["Editors"])
        _ = try await fixture.objects.perform(
            ObjectCommand(.role, .delete([editors], where: nil)),
            as: fixture.master
        )
        #expect(try await fixture.caller(user.token).user?.roles == [])
        _ = try await fixture.objects.perform(
            ObjectCommand(.user, .delete([user.id], where: nil)),
            as: fixture.master
        )
        #expect(try await fixture.caller(user.token).user == nil)
    }

    @Test("a caller who was found before its session ended, or its role, writes without them")
    func late() async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.signUp("ann")
        let role = try await fixture.role("Editors", users: [user.id])
        let early = try await fixture.caller(user.token)
        let object = try await fixture.create(
            #"{"n":1,"ACL":{"role:Editors":{"read":true,"write":true}}}"#,
            in: ClassName("Task"),
            as: fixture.master
        )
        let id = try #require(object["objectId"]?.stringValue.flatMap(ObjectID.init))
        _ = try await fixture.update(id, #"{"n":2}"#, in: ClassName("Task"), as: early)
        _ = try await fixture.objects.perform(ObjectCommand(.role, .delete([role], where: nil)), as: fixture.master)
        let withoutRole = await refusal {
            _ = try await fixture.update(id, #"{"n":3}"#, in: ClassName("Task"), as: early)
        }
        #expect(withoutRole?.code == .forbidden)
        _ = try await fixture.update(user.id, #"{"city":"Lyon"}"#, in: .user, as: early)
        _ = try await fixture.accounts.refreshSession(of: user.id, as: fixture.master)
        let withoutSession = await refusal {
            _ = try await fixture.update(user.id, #"{"city":"Oslo"}"#, in: .user, as: early)
        }
        #expect(withoutSession?.code == .sessionRequired)
        #expect(try await fixture.sessions.revalidated(early).user == nil)
    }

    @Test("roles made later push out none that are older, on any level")
    func crowded() async throws {
        let fixture = try SessionFixture(AccountSettings(maxRoles: 3))
        let user = try await fixture.signUp("ann")
        let editors = try await fixture.role("Editors", users: [user.id])
        _ = try await fixture.role("Readers", roles: [editors])
        for number in 0..<6 { _ = try await fixture.role("Junk\(number)", users: [user.id]) }
        let roles = try #require(try await fixture.caller(user.token).user?.roles)
        #expect(roles.isSuperset(of: ["Editors", "Readers"]))
    }
}
