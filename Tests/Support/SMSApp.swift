internal import Domain
internal import Testing

/// One app whose users get SMS.
struct SMSApp {
    let fixture: SMSFixture
    let store: any ObjectStore
    let guest: Caller
    let master: Caller
    let objects: ObjectService
    let service: SMSCodeService
    let captchas: CaptchaService
    let queue: SMSQueue
    let phone: [String: JSONValue] = ["mobilePhoneNumber": "13800000000"]

    init(
        _ store: any ObjectStore,
        _ fixture: SMSFixture? = nil,
        accounts: AccountSettings = AccountSettings(),
        limits: RequestLimits = RequestLimits()
    ) throws {
        let fixture = try fixture ?? SMSFixture()
        self.fixture = fixture
        self.store = store
        guest = try Samples.guest()
        master = Caller(app: guest.app, isMaster: true)
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accountDependencies: AccountDependencies(
                settings: accounts,
                changes: store.changes,
                hasher: PlainHasher(),
                requestLimits: limits
            ),
            sms: fixture.policy(),
            clock: { [clock = fixture.clock] in clock.now }
        )
        objects = ObjectService(store: store, settings: settings)
        captchas = fixture.captchas(store)
        service = try #require(SMSCodeService(store: store, settings: settings, captchas: captchas))
        queue = fixture.queue(store, of: guest.app)
    }

    func signUp(_ name: String, _ phone: String) async throws {
        let body = #"{"username":"\#(name)","mobilePhoneNumber":"\#(phone)","password":"p4ss"}"#
        let change = try ObjectChange(JSONValue(parsing: Array(body.utf8), field: "body"), allowsPaths: false)
        _ = try await objects.perform(ObjectCommand(.user, .create(change, returnsObject: false)), as: guest)
    }

    /// The user with a name or number.
    func user(_ name: String) async throws -> StoredObject {
        let users = try await store.read { try $0.find(ObjectQuery(.user, page: .all)) }
        let found = users.first {
            $0.fields["username"] == .string(name) || $0.fields["mobilePhoneNumber"] == .string(name)
        }
        return try #require(found)
    }

    /// The user as a caller with a session.
    func caller(_ name: String) async throws -> Caller {
        let id = try await user(name).id
        let sessions = try await store.read { try $0.find(ObjectQuery(.session, page: .all)) }
        let own = sessions.first { $0.fields["user"].flatMap(Pointer.init(stored:))?.id == id }
        return Caller(app: guest.app, user: Caller.User(id: id, session: try #require(own?.id)))
    }

    func change(_ name: String, _ body: String) async throws {
        let change = try ObjectChange(JSONValue(parsing: Array(body.utf8), field: "body"), allowsPaths: true)
        let command = ObjectCommand(.user, .update(try await user(name).id, change, where: nil, returnsObject: false))
        _ = try await objects.perform(command, as: try await caller(name))
    }

    /// The code in the SMS that a request causes.
    func code(_ request: (SMSCodeService) async throws -> Void) async throws -> String {
        try await request(service)
        #expect(try await queue.step() == .sent)
        return try #require(fixture.codes.last)
    }

    func sentCode(for purpose: SMSPurpose, as caller: Caller) async throws -> String {
        try await code { codes in
            switch purpose {
            case .generic: try await codes.sendCode(phone, as: caller)
            case .changePhone: try await codes.sendChangeCode(phone, as: caller)
            case .verifyPhone, .logIn, .resetPassword: try await codes.sendCode(for: purpose, phone, as: caller)
            }
        }
    }

    func use(_ code: String, for purpose: SMSPurpose, as caller: Caller) async throws {
        switch purpose {
        case .generic: try await service.verify(code, phone, as: caller)
        case .verifyPhone: _ = try await service.verifyPhone(code, phone, as: caller)
        case .logIn: _ = try await service.logIn(phone.merging(["smsCode": .string(code)]) { $1 }, as: caller)
        case .resetPassword:
            try await service.resetPassword(code, phone.merging(["password": "p"]) { $1 }, as: caller)
        case .changePhone: _ = try await service.changePhone(phone.merging(["code": .string(code)]) { $1 }, as: caller)
        }
    }

    @discardableResult
    func signUpOrLogIn(_ code: String, _ fields: [String: JSONValue]) async throws -> ObjectReply {
        let body = phone.merging(["smsCode": .string(code)]) { $1 }.merging(fields) { $1 }
        return try await service.signUpOrLogIn(body, as: guest, preparedBy: objects)
    }

    /// Codes that are wrong.
    func others(than code: String, _ count: Int) -> [String] {
        Array((100_000..<100_100).map(String.init).filter { $0 != code }.prefix(count))
    }

    /// Tries wrong codes.
    func guess(_ codes: ArraySlice<String>, parallel isParallel: Bool) async throws {
        let tryOne: @Sendable (String) async -> Void = { [self] code in
            await expectFailure(.codeMismatch) { try await service.verify(code, phone, as: guest) }
        }
        guard isParallel else {
            for code in codes { await tryOne(code) }
            return
        }
        await withTaskGroup(of: Void.self) { group in
            for code in codes { group.addTask { await tryOne(code) } }
        }
    }

    /// A captcha and what it shows.
    func captcha(seconds: Int? = nil) async throws -> (token: String, answer: String) {
        let token = try captchas.token(width: nil, height: nil, count: nil, seconds: seconds, as: guest)
        let picture = try #require(try await captchas.picture(token, for: nil))
        return (token, String(decoding: picture, as: UTF8.self))
    }
}
