import Domain
import Support
import Testing

/// Which requests count as users that an address makes (`accounts.maxSignUps`).
@Suite struct SignUpTests {
    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture(AccountSettings(maxSignUps: 2))
    }

    private func create(_ text: String, as caller: Caller? = nil) async throws {
        _ = try await fixture.create(text, in: .user, as: caller)
    }

    private func user(_ name: String) -> String { #"{"username":"\#(name)","password":"p4ss"}"# }

    private func anonymous(_ id: String) -> String { #"{"authData":{"anonymous":{"id":"\#(id)"}}}"# }

    private func expectRefusal(_ code: ServiceError.Code = .overloaded, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == code)
    }

    @Test("users with a password and users by authData count alike")
    func kinds() async throws {
        try await create(user("ann"))
        try await create(anonymous("1"))
        await expectRefusal { try await create(user("bob")) }
        await expectRefusal { try await create(anonymous("2")) }
        #expect(fixture.store.count(of: .user) == 2)
        #expect(fixture.store.count(of: .identity) == 1)
    }

    @Test("a log-in of a user who is there counts for nothing, and is never refused")
    func logIns() async throws {
        try await create(anonymous("1"))
        for _ in 0..<5 { try await create(anonymous("1")) }
        try await create(user("ann"))
        for _ in 0..<5 {
            try await create(anonymous("1"))
            _ = try await fixture.logIn(user("ann"))
        }
        await expectRefusal { try await create(user("bob")) }
    }

    @Test("a sign-up that is refused for another reason counts for nothing")
    func refused() async throws {
        try await create(user("ann"))
        for _ in 0..<5 { await expectRefusal(.usernameTaken) { try await create(user("ann")) } }
        try await create(user("bob"))
    }

    @Test("no password is hashed for a sign-up that is refused")
    func unhashed() async throws {
        for name in ["ann", "bob"] { try await create(user(name)) }
        let work = fixture.hasher.work
        await expectRefusal { try await create(user("eve")) }
        #expect(fixture.hasher.work == work)
    }

    @Test("who is logged in counts with its address, the master key has no limit")
    func callers() async throws {
        let ann = try await fixture.signUp("ann")
        try await create(user("bob"), as: fixture.caller(ann.token))
        await expectRefusal { try await create(user("eve"), as: fixture.caller(ann.token)) }
        try await create(user("eve"), as: fixture.guest.at(address: "10.0.0.1"))
        for number in 0..<5 { try await create(user("m\(number)"), as: fixture.master) }
    }

    @Test("users of a batch count one by one, those of a save together", arguments: [false, true])
    func batches(isSave: Bool) async throws {
        let bodies = try ["ann", "bob", "eve"].map { try fixture.json(user($0)) }
        guard isSave else {
            var batch = ObjectBatch()
            let commands = try bodies.map { body in
                let change = try ObjectChange(body, allowsPaths: false)
                return Result<ObjectCommand, any Error>.success(
                    ObjectCommand(.user, .create(change, returnsObject: false))
                )
            }
            let replies = try await fixture.objects.perform(commands, in: &batch, as: fixture.guest)
            #expect(replies.count { (try? $0.get()) != nil } == 2)
            return
        }
        let items = try bodies.enumerated().map { index, body in
            var members = try #require(body.objectValue)
            members["__internalId"] = .string("\(index)")
            return try SaveItem(
                className: .user,
                id: nil,
                creates: true,
                body: .object(members),
                where: nil,
                returnsObject: false
            )
        }
        await expectRefusal { _ = try await fixture.objects.save(items, as: fixture.guest) }
        #expect(fixture.store.count(of: .user) == 0)
        // None was made, so none counts.
        for name in ["ann", "bob"] { try await create(user(name)) }
        await expectRefusal { try await create(user("eve")) }
    }
}
