import Domain
import Support
import Synchronization
import Testing

/// What a request costs that the rules of users refuse: no hash of a password, and no call of the verifier.
@Suite struct AccountRightsTests {
    private let verifier: CountingVerifier
    private let fixture: SessionFixture

    init() throws {
        let (store, verifier) = (MemoryObjectStore(), CountingVerifier())
        self.verifier = verifier
        fixture = try SessionFixture(on: store, through: store, verifier: verifier)
    }

    /// A single request, an item of a batch, or one of a save.
    enum Way: CaseIterable {
        case single
        case batch
        case save
    }

    private static let ann =
        #"{"username":"ann","password":"p4ss","email":"a@example.org","mobilePhoneNumber":"13800000000"}"#

    /// Sends a change of a user, or a new user; gives the code of the error.
    private func send(
        _ text: String,
        of id: ObjectID? = nil,
        mustExist: Bool = false,
        by way: Way,
        as caller: Caller
    ) async throws -> ServiceError.Code? {
        guard way != .save else {
            return try await fixture.save([fixture.item(text, in: .user, id: id, mustExist: mustExist)], as: caller)
        }
        let command =
            try id.map { try fixture.change(text, of: $0, in: .user) }
            ?? fixture.creation(text, in: .user, mustExist: mustExist)
        guard way == .single else { return try await fixture.batch([command], as: caller)[0] }
        do {
            _ = try await fixture.objects.perform(command, as: caller)
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    @Test(
        "a name that is taken, missing or malformed",
        arguments: [
            (#"{"username":"ann","password":"x"}"#, .usernameTaken),
            (#"{"username":"bob","password":"x","email":"a@example.org"}"#, .emailTaken),
            (#"{"username":"bob","password":"x","mobilePhoneNumber":"+8613800000000"}"#, .phoneTaken),
            (#"{"username":"bob","password":"x","mobilePhoneNumber":"008613800000000"}"#, .phoneTaken),
            (#"{"password":"x"}"#, .missingUsername), (#"{"username":" ","password":"x"}"#, .blankUsername),
            (#"{"username":"bob","password":"x","email":"none"}"#, .invalidEmail),
            (#"{"username":"bob","password":"x","mobilePhoneNumber":"x"}"#, .invalidPhone),
            (#"{"username":"ann","password":"x","authData":{"anonymous":{"id":"1"}}}"#, .usernameTaken),
        ] as [(String, ServiceError.Code)]
    )
    func names(body: String, code: ServiceError.Code) async throws {
        _ = try await fixture.create(AccountRightsTests.ann, in: .user)
        let work = fixture.hasher.work
        for way in Way.allCases { #expect(try await send(body, by: way, as: fixture.guest) == code) }
        #expect(fixture.hasher.work == work)
    }

    @Test("a sign-up where the class is closed, or that only logs in", arguments: Way.allCases)
    func closed(way: Way) async throws {
        _ = try await fixture.create(#"{"authData":{"github":{"uid":"known"}}}"#, in: .user)
        let work = fixture.hasher.work
        let (bob, unknown) = (#"{"username":"bob","password":"x"}"#, #"{"authData":{"weixin":{"openid":"1"}}}"#)
        for body in [bob, #"{"password":"x","authData":{"github":{"uid":"unknown"}}}"#] {
            #expect(try await send(body, mustExist: true, by: way, as: fixture.guest) == .userNotFound)
        }
        try await fixture.permit(#"{"create":[]}"#, of: .user)
        for body in [bob, #"{"password":"x"}"#, #"{"password":"x","authData":{"github":{"uid":"unknown"}}}"#, unknown] {
            #expect(try await send(body, by: way, as: fixture.guest) == .forbidden)
        }
        #expect(fixture.hasher.work == work)
        let known = #"{"password":"x","authData":{"github":{"uid":"known"}}}"#
        #expect(try await send(known, by: way, as: fixture.guest) == nil)
    }

    @Test("a change of another user", arguments: Way.allCases, [false, true])
    func others(way: Way, isUser: Bool) async throws {
        let (ann, bob) = (try await fixture.signUp("ann"), try await fixture.signUp("bob"))
        let caller = isUser ? try await fixture.caller(bob.token) : fixture.guest
        let work = fixture.hasher.work
        let identity = #"{"uid":"1"}"#
        let bodies = [
            #"{"password":"x"}"#, #"{"authData":{"github":\#(identity)}}"#, #"{"authData.github":\#(identity)}"#,
        ]
        for body in bodies {
            #expect(try await send(body, of: ann.id, by: way, as: caller) == .sessionRequired)
        }
        #expect(fixture.hasher.work == work)
        #expect(verifier.calls == 0)
    }

    @Test("a change of oneself that the class or the own ACL forbids", arguments: Way.allCases, [false, true])
    func itself(way: Way, byClass: Bool) async throws {
        let ann = try await fixture.signUp("ann")
        if byClass {
            try await fixture.permit(#"{"update":[]}"#, of: .user)
        } else {
            _ = try await fixture.update(ann.id, #"{"ACL":{}}"#, in: .user, as: fixture.master)
        }
        let (caller, work) = (try await fixture.caller(ann.token), fixture.hasher.work)
        for body in [#"{"password":"x"}"#, #"{"authData":{"github":{"uid":"1"}}}"#] {
            #expect(try await send(body, of: ann.id, by: way, as: caller) == .forbidden)
        }
        #expect(fixture.hasher.work == work)
        #expect(verifier.calls == 0)
    }

    @Test("names and rights that earlier requests of a batch give are there", arguments: [false, true])
    func order(isSave: Bool) async throws {
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        let (renamed, another) = (#"{"username":"bea"}"#, #"{"username":"ann","password":"x"}"#)
        if isSave {
            let items = [
                try fixture.item(renamed, in: .user, id: ann.id), try fixture.item(another, in: .user),
                try fixture.item(#"{"password":"y"}"#, in: .user, creates: false),
            ]
            #expect(try await fixture.save(items, as: caller) == nil)
        } else {
            let commands = [
                try fixture.change(renamed, of: ann.id, in: .user), try fixture.creation(another, in: .user),
            ]
            #expect(try await fixture.batch(commands, as: caller) == [nil, nil])
        }
        _ = try await fixture.logIn(#"{"username":"ann","password":"\#(isSave ? "y" : "x")"}"#)
    }

    @Test("a further part of a new user that no item creates")
    func withoutID() async throws {
        let item = try fixture.item(#"{"password":"x"}"#, in: .user, creates: false)
        #expect(try await fixture.save([item], as: fixture.guest) == .badRequest)
        #expect(fixture.hasher.work == 0)
    }

    @Test("a batch has at most 100 platforms to verify", arguments: [50, 51])
    func platforms(second: Int) async throws {
        func body(_ count: Int, _ user: String) -> String {
            let platforms = (0..<count).map { #""p\#($0)":{"uid":"\#(user)"}"# }
            return #"{"authData":{\#(platforms.joined(separator: ","))}}"#
        }
        let bodies = [body(50, "ann"), body(second, "bob")]
        let commands = try bodies.map { try fixture.creation($0, in: .user) }
        let items = try bodies.enumerated().map { index, body in
            try fixture.item(#"{"__internalId":"\#(index)",\#(body.dropFirst())"#, in: .user)
        }
        guard second > 50 else {
            #expect(try await fixture.batch(commands, as: fixture.guest) == [nil, nil])
            #expect(verifier.calls == 100)
            return
        }
        await #expect(throws: ServiceError.self) { _ = try await fixture.batch(commands, as: fixture.guest) }
        #expect(try await fixture.save(items, as: fixture.guest) == .badRequest)
        #expect(verifier.calls == 0)
        #expect(try await fixture.batch(commands, as: fixture.master) == [nil, nil])
    }

    /// A request that sets a password, or has a platform to verify.
    enum Call: CaseIterable {
        case signUp
        case ofAnother
        case ofItself
        case updatePassword
        case platform
    }

    @Test(
        "each password and each platform to verify counts as a log-in, also of a refused request",
        arguments: Call.allCases
    )
    func counted(call: Call) async throws {
        var settings = RequestLimits.Settings()
        settings.logIns = 3
        let store = MemoryObjectStore()
        // The limit is refilled with the time.
        let start = ContinuousClock.now
        let fixture = try SessionFixture(
            // The caller sets its own password several times.
            AccountSettings(endsSessions: false),
            on: store,
            through: store,
            verifier: verifier,
            limits: RequestLimits(settings, clock: { start })
        )
        let (ann, bob) = (try await fixture.signUp("ann"), try await fixture.signUp("bob"))
        let caller = try await fixture.caller(ann.token).at(address: "192.0.2.1")
        func send() async throws {
            switch call {
            case .signUp:
                _ = try await fixture.create(#"{"username":"ann","password":"x"}"#, in: .user, as: caller)
            case .ofAnother:
                _ = try await fixture.update(bob.id, #"{"password":"x"}"#, in: .user, as: caller)
            case .ofItself:
                _ = try await fixture.update(ann.id, #"{"password":"x"}"#, in: .user, as: caller)
            case .updatePassword:
                let passwords: [String: JSONValue] = ["old_password": "wrong", "new_password": "x"]
                _ = try await fixture.accounts.changePassword(of: ann.id, passwords, as: caller)
            case .platform:
                _ = try await fixture.create(#"{"authData":{"github":{"uid":"1"}}}"#, in: .user, as: caller)
            }
        }
        var codes: [ServiceError.Code?] = []
        for _ in 0..<5 {
            do {
                try await send()
                codes.append(nil)
            } catch let error as ServiceError {
                codes.append(error.code)
            }
        }
        let expected: ServiceError.Code? =
            switch call {
            case .signUp: .usernameTaken
            case .ofAnother: .sessionRequired
            case .ofItself, .platform: nil
            case .updatePassword: .wrongPassword
            }
        #expect(codes == [expected, expected, expected, .overloaded, .overloaded])
    }
}

/// Confirms everything and counts its calls.
private final class CountingVerifier: AuthDataVerifier {
    private let counter = Counter()

    var calls: Int { counter.value }

    func verify(_ data: JSONValue, of platform: String, in app: AppID) async throws -> JSONValue {
        _ = counter.next()
        return data
    }
}
