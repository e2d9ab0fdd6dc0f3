import Domain
import Support
import Testing

/// Users whom the master key creates with an id: as they were on another server.
@Suite struct ImportedUserTests {
    private let fixture: SessionFixture
    private let token = String(repeating: "t", count: 25)

    init() throws {
        fixture = try SessionFixture()
    }

    private func create(_ text: String, as caller: Caller? = nil) async throws -> [String: JSONValue] {
        try await fixture.create(text, in: .user, as: caller ?? fixture.master)
    }

    private func expectRefusal(_ code: ServiceError.Code, _ text: String, as caller: Caller? = nil) async {
        let error = await #expect(throws: ServiceError.self) { _ = try await create(text, as: caller) }
        #expect(error?.code == code)
    }

    @Test("the reply has no token, and no session begins")
    func notLoggedIn() async throws {
        let reply = try await create(#"{"objectId":"u1","username":"ann","password":"p4ss"}"#)
        #expect(Set(reply.keys) == ["objectId", "createdAt"])
        #expect(fixture.store.count(of: .session) == 0)
    }

    @Test(
        "a user needs neither password nor name",
        arguments: [#""mobilePhoneNumber":"+8613800000000""#, #""email":"a@example.com""#, #""city":"Lyon""#]
    )
    func incomplete(field: String) async throws {
        _ = try await create(#"{"objectId":"u1",\#(field)}"#)
        #expect(fixture.store.count(of: .user) == 1)
    }

    @Test("without an id, the rules of sign-ups apply to the master key too")
    func signUp() async throws {
        await expectRefusal(.missingPassword, #"{"username":"ann"}"#)
        await expectRefusal(.missingUsername, #"{"city":"Lyon"}"#)
        await expectRefusal(.readOnlyField, #"{"username":"ann","password":"p4ss","sessionToken":"\#(token)"}"#)
    }

    @Test("the session of a given token is the user's")
    func givenToken() async throws {
        _ = try await create(#"{"objectId":"u1","username":"ann","sessionToken":"\#(token)"}"#)
        let caller = try await fixture.caller(token)
        #expect(caller.user?.id.description == "u1")
    }

    @Test("an empty or null token begins no session", arguments: ["null", #""""#])
    func noToken(value: String) async throws {
        _ = try await create(#"{"objectId":"u1","username":"ann","sessionToken":\#(value)}"#)
        #expect(fixture.store.count(of: .session) == 0)
    }

    @Test("a token of another form is refused", arguments: [#""short""#, "1", #"{"a":1}"#])
    func malformedToken(value: String) async throws {
        await expectRefusal(.badRequest, #"{"objectId":"u1","username":"ann","sessionToken":\#(value)}"#)
    }

    @Test("a token or an identity of another user is refused, and no user is stored")
    func taken() async throws {
        _ = try await create(
            #"{"objectId":"u1","username":"ann","sessionToken":"\#(token)","authData":{"github":{"uid":"1"}}}"#
        )
        await expectRefusal(.duplicateValue, #"{"objectId":"u2","username":"bob","sessionToken":"\#(token)"}"#)
        await expectRefusal(.duplicateValue, #"{"objectId":"u3","username":"eve","authData":{"github":{"uid":"1"}}}"#)
        #expect(fixture.store.count(of: .user) == 1)
    }

    @Test("names, passwords and flags without a value are missing ones", arguments: ["null", "\"\""])
    func withoutValues(value: String) async throws {
        for id in ["u1", "u2"] {
            let names = ["username", "email", "mobilePhoneNumber", "password", "salt", "bcryptPassword"]
            let fields = names.map { #""\#($0)":\#(value)"# }.joined(separator: ",")
            _ = try await create(#"{"objectId":"\#(id)",\#(fields),"emailVerified":null}"#)
        }
        #expect(fixture.store.count(of: .user) == 2 && fixture.hasher.work == 0)
    }

    @Test(
        "names that sign-ups refuse are stored",
        arguments: [#""email":"none""#, #""mobilePhoneNumber":"1 2""#, #""username":" ""#]
    )
    func otherFormats(field: String) async throws {
        _ = try await create(#"{"objectId":"u1",\#(field)}"#)
        #expect(fixture.store.count(of: .user) == 1)
    }

    @Test("a name of another user is refused")
    func takenName() async throws {
        _ = try await create(#"{"objectId":"u1","email":"none"}"#)
        await expectRefusal(.emailTaken, #"{"objectId":"u2","email":"none"}"#)
    }

    @Test("data of a platform without an id is stored and identifies no user, and later changes keep it")
    func platformWithoutID() async throws {
        let reply = try await create(#"{"objectId":"u1","authData":{"custom":{"token":"x"},"github":{"uid":"1"}}}"#)
        #expect(fixture.store.count(of: .identity) == 1)
        let id = try #require(reply["objectId"]?.stringValue.flatMap(ObjectID.init))
        try await fixture.update(id, #"{"authData":{"qq":{"openid":"q"}}}"#, in: .user, as: fixture.master)
        let stored = try await fixture.store.read { try $0.object(id, in: .user)?.fields["authData"]?.objectValue }
        #expect(stored.map { Set($0.keys) } == ["custom", "github", "qq"])
        await expectRefusal(.missingLinkedID, #"{"username":"bob","authData":{"custom":{"token":"x"}}}"#)
    }

    @Test(
        "an imported user with an openid only logs in by it, on any platform",
        arguments: ["weixin_app", "wx-app", "qq"]
    )
    func openID(platform: String) async throws {
        let data = #"{"authData":{"\#(platform)":{"openid":"o","access_token":"t"}}}"#
        _ = try await create(#"{"objectId":"u1",\#(data.dropFirst().dropLast())}"#)
        let reply = try await create(data, as: fixture.guest)
        #expect(reply["objectId"] == "u1")
    }

    @Test("users whom an earlier version imported without an identity get it at the start, once")
    func missingIdentities() async throws {
        let now = Timestamp.now()
        let data = try fixture.json(#"{"weixin_app":{"openid":"o"},"custom":{"token":"x"}}"#)
        let ids = try ["u1", "u2", "u3"].map { try #require(ObjectID($0)) }
        try await fixture.store.write { writer in
            for id in ids {
                let fields: [String: JSONValue] = id == ids[2] ? [:] : ["authData": data]
                try writer.insert(StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields), into: .user)
            }
        }
        for _ in 0..<2 {
            try await fixture.objects.addMissingIdentities()
            // Of two users with one id, the first one has the identity.
            #expect(fixture.store.count(of: .identity) == 1)
        }
        let reply = try await create(#"{"authData":{"weixin_app":{"openid":"o","t":1}}}"#, as: fixture.guest)
        #expect(reply["objectId"] == "u1")
        let reads = fixture.store.readCount
        try await fixture.objects.addMissingIdentities()
        #expect(fixture.store.readCount == reads + 1)
    }

    @Test("while the identities of earlier users are missing, no log-in takes one of them")
    func incompleteIdentities() async throws {
        let login = #"{"authData":{"weixin_app":{"openid":"o"}}}"#
        fixture.store.beforeNextCommit { throw StorageFault.full.error() }
        await #expect(throws: (any Error).self) { try await fixture.objects.addMissingIdentities() }
        await expectRefusal(.unavailable, login, as: fixture.guest)
        _ = try await create(#"{"authData":{"weixin_app":{"uid":"u"}}}"#, as: fixture.guest)
        try await fixture.objects.addMissingIdentities()
        _ = try await create(login, as: fixture.guest)
    }

    @Test("a client cannot import a user, and no password is hashed for the attempt")
    func refusedToClients() async throws {
        await expectRefusal(.invalidKey, #"{"objectId":"u1","username":"ann","password":"p4ss"}"#, as: fixture.guest)
        #expect(fixture.hasher.work == 0)
    }
}
