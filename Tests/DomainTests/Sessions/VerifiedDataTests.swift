import Domain
import Support
import Synchronization
import Testing

/// Log-ins whose `authData` a verifier confirms or replaces (`accounts.authDataVerifier`).
@Suite struct VerifiedDataTests {
    private let store = MemoryObjectStore()
    private let verifier: ReplacingVerifier
    private let objects: ObjectService
    private let sessions: SessionService
    private let guest: Caller
    private let master: Caller

    init() throws {
        let verifier = ReplacingVerifier()
        self.verifier = verifier
        let app = try #require(AppID("app"))
        guest = Caller(app: app)
        master = Caller(app: app, isMaster: true)
        let dependencies = AccountDependencies(changes: store.changes, hasher: PlainHasher(), verifier: verifier)
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accountDependencies: dependencies
        )
        objects = ObjectService(store: store, settings: settings)
        sessions = SessionService(store: store, dependencies: dependencies)
    }

    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "body")
    }

    private func signUp(_ text: String, as caller: Caller? = nil) async throws -> [String: JSONValue] {
        let change = try ObjectChange(json(text), allowsPaths: false)
        let command = ObjectCommand(.user, .create(change, returnsObject: false))
        return try await objects.perform(command, as: caller ?? guest).members
    }

    /// Changes a user by the session that the reply to its sign-up has.
    private func update(_ user: [String: JSONValue], _ text: String) async throws {
        let id = try #require(user["objectId"]?.stringValue.flatMap(ObjectID.init))
        let caller = try await sessions.caller(guest, showing: try #require(user["sessionToken"]?.stringValue))
        let change = try ObjectChange(json(text), allowsPaths: true)
        let command = ObjectCommand(.user, .update(id, change, where: nil, returnsObject: false))
        _ = try await objects.perform(command, as: caller)
    }

    private func stored(_ id: JSONValue?) async throws -> JSONValue? {
        let id = try #require(id?.stringValue.flatMap(ObjectID.init))
        return try await store.read { try $0.object(id, in: .user)?.fields["authData"] }
    }

    @Test("the identity is computed from the data with which the verifier replaces a code")
    func replacement() async throws {
        let first = try await signUp(#"{"authData":{"lc_weapp":{"code":"1:ann"}}}"#)
        #expect(try first["authData"] == json(#"{"lc_weapp":{"openid":"ann"}}"#))
        #expect(try await stored(first["objectId"]) == json(#"{"lc_weapp":{"openid":"ann"}}"#))
        let second = try await signUp(#"{"authData":{"lc_weapp":{"code":"2:ann"},"github":{"uid":"u"}}}"#)
        #expect(second["objectId"] == first["objectId"])
        #expect(try await stored(first["objectId"]) == json(#"{"lc_weapp":{"openid":"ann"},"github":{"uid":"u"}}"#))
        #expect(try await signUp(#"{"authData":{"lc_weapp":{"code":"3:bob"}}}"#)["objectId"] != first["objectId"])
        #expect(store.count(of: .user) == 2)
    }

    @Test(
        "a linked platform is replaced, too, and other parts of the change stay",
        arguments: [
            #"{"authData":{"lc_weapp":{"code":"2:eve"},"github":null},"city":"Lyon"}"#,
            #"{"authData.lc_weapp":{"code":"2:eve"},"authData.github":{"__op":"Delete"},"city":"Lyon"}"#,
        ]
    )
    func linking(body: String) async throws {
        let user = try await signUp(#"{"authData":{"github":{"uid":"u"}}}"#)
        try await update(user, body)
        #expect(try await stored(user["objectId"]) == json(#"{"lc_weapp":{"openid":"eve"}}"#))
        #expect(try await signUp(#"{"authData":{"lc_weapp":{"code":"3:eve"}}}"#)["objectId"] == user["objectId"])
    }

    @Test("a code that the verifier does not replace identifies no user")
    func unreplaced() async {
        let error = await #expect(throws: ServiceError.self) {
            try await signUp(#"{"authData":{"lc_qqapp":{"code":"1"}}}"#)
        }
        #expect(error?.code == .missingLinkedID)
    }

    @Test("data that is sent back unchanged, anonymous ids and the master key are not verified")
    func unverified() async throws {
        let user = try await signUp(#"{"authData":{"lc_weapp":{"code":"1:ann"}}}"#)
        try await update(user, #"{"authData":{"lc_weapp":{"openid":"ann"}}}"#)
        _ = try await signUp(#"{"authData":{"anonymous":{"id":"a"}}}"#)
        _ = try await signUp(#"{"authData":{"github":{"uid":"u"}}}"#, as: master)
        #expect(verifier.verified == ["lc_weapp"])
    }
}

/// Replaces a code `<n>:<id>` of `lc_weapp` by `openid`, and confirms everything else.
private final class ReplacingVerifier: AuthDataVerifier {
    private let seen = Mutex<[String]>([])

    /// The platforms of the calls, in order.
    var verified: [String] { seen.withLock { $0 } }

    func verify(_ data: JSONValue, of platform: String, in app: AppID) async throws -> JSONValue {
        seen.withLock { $0.append(platform) }
        guard platform == "lc_weapp", let code = data.objectValue?["code"]?.stringValue,
            let id = code.split(separator: ":").last
        else { return data }
        return .object(["openid": .string(String(id))])
    }
}
