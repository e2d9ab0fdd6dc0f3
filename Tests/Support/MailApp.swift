package import Domain
internal import Testing

/// One app whose users get mails.
package struct MailApp {
    /// Its mail server and its clock.
    package let fixture: MailFixture
    let store: any ObjectStore
    let guest: Caller
    let master: Caller
    let objects: ObjectService
    let service: MailLinkService
    /// Its queue of mails.
    package let queue: MailQueue

    /// Creates the services on a store.
    package init(
        _ store: any ObjectStore,
        _ fixture: MailFixture? = nil,
        verifying: Bool = true,
        _ accounts: AccountSettings = AccountSettings(),
        limits: RequestLimits = RequestLimits()
    ) throws {
        let fixture = try fixture ?? MailFixture()
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
            mail: fixture.policy(verifying: verifying),
            clock: { [clock = fixture.clock] in clock.now }
        )
        objects = ObjectService(store: store, settings: settings)
        service = MailLinkService(store: store, settings: settings, templates: fixture.templates)
        queue = fixture.queue(store, of: guest.app)
    }

    /// Signs a user up, which queues a mail if addresses are verified.
    @discardableResult
    package func signUp(_ name: String, _ email: String) async throws -> ObjectID {
        let body = #"{"username":"\#(name)","email":"\#(email)","password":"p4ss"}"#
        let change = try ObjectChange(JSONValue(parsing: Array(body.utf8), field: "body"), allowsPaths: false)
        let reply = try await objects.perform(ObjectCommand(.user, .create(change, returnsObject: false)), as: guest)
        return try #require(reply.members["objectId"]?.stringValue.flatMap(ObjectID.init))
    }

    func change(_ id: ObjectID, _ body: String) async throws {
        let change = try ObjectChange(JSONValue(parsing: Array(body.utf8), field: "body"), allowsPaths: true)
        // Not the master key, which has no limit of mails.
        let user = Caller(app: guest.app, user: try await session(of: id))
        let command = ObjectCommand(.user, .update(id, change, where: nil, returnsObject: false))
        _ = try await objects.perform(command, as: user)
    }

    private func session(of id: ObjectID) async throws -> Caller.User {
        let sessions = try await store.read { try $0.find(ObjectQuery(.session, page: .all)) }
        let own = sessions.first { $0.fields["user"].flatMap(Pointer.init(stored:))?.id == id }
        return Caller.User(id: id, session: try #require(own?.id))
    }

    func field(_ name: String, of id: ObjectID) async throws -> JSONValue? {
        try await store.read { try $0.object(id, in: .user)?.fields[name] }
    }

    /// The purposes and addresses of the mails in the queue, in their order.
    package func queued() async throws -> [String] {
        let rows = try await store.read { try $0.find(ObjectQuery(.mail, page: .all)) }
        return rows.compactMap(QueuedMail.init).map { "\($0.purpose) \($0.to)" }
    }

    /// Sends the next mail and returns the token in it.
    func nextToken() async throws -> String {
        #expect(try await queue.step() == .sent)
        return try #require(fixture.tokens.last)
    }
}
