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

    @Test("a client cannot import a user, and no password is hashed for the attempt")
    func refusedToClients() async throws {
        await expectRefusal(.invalidKey, #"{"objectId":"u1","username":"ann","password":"p4ss"}"#, as: fixture.guest)
        #expect(fixture.hasher.work == 0)
    }
}
