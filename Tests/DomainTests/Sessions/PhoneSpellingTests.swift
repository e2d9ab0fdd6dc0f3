import Domain
import Support
import Testing

/// In which spelling the phone number of a user is stored, and by which it is found (docs/accounts.md).
@Suite struct PhoneSpellingTests {
    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture()
    }

    private func create(_ name: String, _ number: String, on fixture: SessionFixture? = nil) async throws -> ObjectID {
        let body = #"{"username":"\#(name)","password":"p4ss","mobilePhoneNumber":"\#(number)"}"#
        let fixture = fixture ?? self.fixture
        return try fixture.id(of: try await fixture.create(body, in: .user))
    }

    private func stored(_ id: ObjectID, on fixture: SessionFixture? = nil) async throws -> String? {
        try await (fixture ?? self.fixture).field("mobilePhoneNumber", of: id, in: .user)?.stringValue
    }

    private static let spellings = [
        "13800000000", "+8613800000000", "8613800000000", "013800000000", "008613800000000",
    ]

    @Test(
        "as the client wrote it if it is found by that, else in the form of E.164",
        arguments: [
            ("13800000000", "13800000000"), ("+8613800000000", "+8613800000000"), ("8613800000000", "8613800000000"),
            ("013800000000", "+8613800000000"), ("008613800000000", "+8613800000000"),
            ("00441234567890", "+441234567890"), ("+12025550100", "+12025550100"), ("12345", "12345"),
        ]
    )
    func storing(given: String, expected: String) async throws {
        let id = try await create("ann", given)
        #expect(try await stored(id) == expected)
        let user = try await fixture.logIn(#"{"mobilePhoneNumber":"\#(given)","password":"p4ss"}"#)
        #expect(try fixture.id(of: user) == id)
    }

    @Test("all spellings of a number are the number of one user", arguments: PhoneSpellingTests.spellings)
    func sameNumber(first: String) async throws {
        let id = try await create("ann", first)
        let bob = try await fixture.signUp("bob")
        let caller = try await fixture.caller(bob.token)
        for (index, other) in PhoneSpellingTests.spellings.enumerated() {
            let user = try await fixture.logIn(#"{"mobilePhoneNumber":"\#(other)","password":"p4ss"}"#)
            #expect(try fixture.id(of: user) == id)
            let created = await #expect(throws: ServiceError.self) { _ = try await create("eve\(index)", other) }
            #expect(created?.code == .phoneTaken)
            let changed = await #expect(throws: ServiceError.self) {
                try await fixture.update(bob.id, #"{"mobilePhoneNumber":"\#(other)"}"#, in: .user, as: caller)
            }
            #expect(changed?.code == .phoneTaken)
        }
    }

    @Test(
        "a text that begins with 0 and is no number is refused",
        arguments: ["01012345678", "000000", "+013800000000"]
    )
    func refused(text: String) async {
        let error = await #expect(throws: ServiceError.self) { _ = try await create("ann", text) }
        #expect(error?.code == .invalidPhone)
    }

    @Test("another spelling of the own number stays verified", arguments: ["13800000000", "8613800000000"])
    func verified(text: String) async throws {
        let id = try await create("ann", "+8613800000000")
        _ = try await fixture.update(id, #"{"mobilePhoneVerified":true}"#, in: .user, as: fixture.master)
        _ = try await fixture.update(id, #"{"mobilePhoneNumber":"\#(text)"}"#, in: .user, as: fixture.master)
        #expect(try await stored(id) == text)
        #expect(try await fixture.field("mobilePhoneVerified", of: id, in: .user) == .bool(true))
    }

    @Test("another spelling of the own number changes nothing, and a stored text that is sent back stays")
    func unchanged() async throws {
        let id = try await create("ann", "+8613800000000")
        _ = try await fixture.update(id, #"{"mobilePhoneVerified":true}"#, in: .user, as: fixture.master)
        _ = try await fixture.update(id, #"{"mobilePhoneNumber":"013800000000"}"#, in: .user, as: fixture.master)
        #expect(try await stored(id) == "+8613800000000")
        #expect(try await fixture.field("mobilePhoneVerified", of: id, in: .user) == .bool(true))
        let old = #"{"objectId":"imported1","username":"bob","mobilePhoneNumber":"01012345678"}"#
        let bob = try fixture.id(of: try await fixture.create(old, in: .user, as: fixture.master))
        #expect(try await stored(bob) == "01012345678")
        let change = #"{"mobilePhoneNumber":"01012345678","city":"Lyon"}"#
        _ = try await fixture.update(bob, change, in: .user, as: fixture.master)
        #expect(try await stored(bob) == "01012345678")
    }

    @Test("in a country whose numbers begin with 0 they are stored with it")
    func leadingZero() async throws {
        let italy = try SessionFixture(AccountSettings(countryCode: "39"))
        let id = try await create("ann", "0612345678", on: italy)
        #expect(try await stored(id, on: italy) == "0612345678")
        let user = try await italy.logIn(#"{"mobilePhoneNumber":"+390612345678","password":"p4ss"}"#)
        #expect(try italy.id(of: user) == id)
    }
}
