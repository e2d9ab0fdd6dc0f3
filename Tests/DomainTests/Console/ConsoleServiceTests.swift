import Support
import Synchronization
import Testing

@testable import Domain

/// Sessions of the console, and its audit log, as time passes.
@Suite struct ConsoleServiceTests {
    private let store = MemoryObjectStore()
    private let master: Caller

    init() throws {
        master = Caller(app: try #require(AppID("app")), isMaster: true)
    }

    private final class Clock: Sendable {
        let now = Mutex(Timestamp(milliseconds: 1_700_000_000_000))

        func pass(_ seconds: Int) { now.withLock { $0 = $0.adding(seconds: seconds) } }
    }

    private static let keys = AppKeys(
        appKey: Secret("app"),
        masterKey: Secret("master"),
        consoleReadKey: Secret("reader")
    )

    private func service(
        _ clock: Clock,
        keys: AppKeys = keys,
        _ change: (inout ConsoleSettings) -> Void = { _ in }
    ) -> ConsoleService {
        var settings = ConsoleSettings()
        change(&settings)
        let now: @Sendable () -> Timestamp = { clock.now.withLock { $0 } }
        return ConsoleService(
            store: store,
            keys: keys,
            ids: ObjectIDGenerator(clock: now),
            settings: settings,
            now: now
        )
    }

    private func logIn(_ service: ConsoleService, isReadOnly: Bool = false) async throws -> ConsoleToken {
        try await service.logIn(isReadOnly: isReadOnly, from: "192.0.2.1", browser: "Browser").token
    }

    @Test("a token finds its session, and the session has its rights", arguments: [true, false])
    func find(isReadOnly: Bool) async throws {
        let service = service(Clock())
        let token = try await logIn(service, isReadOnly: isReadOnly)
        let again = try #require(ConsoleToken(token.revealed))
        let session = try #require(try await service.session(of: again))
        #expect(session.isReadOnly == isReadOnly)
        #expect((session.address, session.browser) == ("192.0.2.1", "Browser"))
    }

    @Test("the token of another session, or with another secret, finds nothing")
    func otherToken() async throws {
        let service = service(Clock())
        let (first, second) = (try await logIn(service), try await logIn(service))
        let mixed = "\(first.session).\(second.revealed.split(separator: ".")[1])"
        #expect(try await service.session(of: try #require(ConsoleToken(mixed))) == nil)
    }

    @Test("a session ends when the key of its log-in is changed or removed, and only then", arguments: [true, false])
    func otherKey(isReadOnly: Bool) async throws {
        func service(master: String, reader: String?) -> ConsoleService {
            let reader = reader.map(Secret.init)
            let keys = AppKeys(appKey: Secret("app"), masterKey: Secret(master), consoleReadKey: reader)
            return self.service(Clock(), keys: keys)
        }
        let token = try await logIn(service(master: "master", reader: "reader"), isReadOnly: isReadOnly)
        let otherMaster = try await service(master: "other", reader: "reader").session(of: token)
        #expect((otherMaster != nil) == isReadOnly)
        for reader in ["other", nil] {
            let otherReader = try await service(master: "master", reader: reader).session(of: token)
            #expect((otherReader != nil) == !isReadOnly)
        }
    }

    @Test("without a read-only key no session only reads")
    func noReadKey() async throws {
        let service = service(Clock(), keys: AppKeys(appKey: Secret("app"), masterKey: Secret("master")))
        await #expect(throws: ServiceError.self) { try await logIn(service, isReadOnly: true) }
    }

    @Test(
        "malformed tokens are none",
        arguments: [
            "", ".", "a", "a.", "a.b", "a.\(String(repeating: "b", count: 49))", "a.b.c",
            "ä.\(String(repeating: "b", count: 50))",
        ]
    )
    func malformed(text: String) {
        #expect(ConsoleToken(text) == nil)
    }

    @Test("the token for calls belongs to one session and does not contain its secret")
    func csrf() async throws {
        let service = service(Clock())
        let (first, second) = (try await logIn(service), try await logIn(service))
        #expect(!first.csrf.matches(second.csrf.revealed))
        #expect(first.csrf.matches(try #require(ConsoleToken(first.revealed)).csrf.revealed))
        #expect(!first.revealed.contains(first.csrf.revealed))
    }

    @Test("a session ends after its life, however much it is used")
    func life() async throws {
        let clock = Clock()
        let service = service(clock) { $0.sessionLife = 3600 }
        let token = try await logIn(service)
        for _ in 0..<5 {
            clock.pass(600)
            #expect(try await service.session(of: token) != nil)
        }
        clock.pass(599)
        #expect(try await service.session(of: token) != nil)
        clock.pass(1)
        #expect(try await service.session(of: token) == nil)
    }

    @Test("a session ends if it is not used")
    func idle() async throws {
        let clock = Clock()
        let service = service(clock)
        let (used, unused) = (try await logIn(service), try await logIn(service))
        clock.pass(1000)
        #expect(try await service.session(of: used) != nil)
        clock.pass(800)
        #expect(try await service.session(of: used) != nil)
        #expect(try await service.session(of: unused) == nil)
        #expect(try await service.sessions(as: master).map(\.id) == [used.session])
    }

    @Test("the time of the last use is written once in a minute")
    func precision() async throws {
        let clock = Clock()
        let service = service(clock)
        let token = try await logIn(service)
        let begin = clock.now.withLock { $0 }
        clock.pass(59)
        _ = try await service.session(of: token)
        #expect(try await service.sessions(as: master).map(\.lastUsedAt) == [begin])
        clock.pass(1)
        _ = try await service.session(of: token)
        #expect(try await service.sessions(as: master).map(\.lastUsedAt) == [begin.adding(seconds: 60)])
    }

    @Test("beyond the limit a log-in ends the session that was used the longest ago")
    func limit() async throws {
        let clock = Clock()
        let service = service(clock) { $0.maxSessions = 2 }
        let first = try await logIn(service)
        clock.pass(60)
        let second = try await logIn(service)
        clock.pass(60)
        _ = try await service.session(of: first)
        let third = try await logIn(service)
        #expect(try await service.session(of: second) == nil)
        #expect(Set(try await service.sessions(as: master).map(\.id)) == [first.session, third.session])
    }

    @Test("log-ins with one key end no session of the other one", arguments: [true, false])
    func limitOfEachKey(isReadOnly: Bool) async throws {
        let clock = Clock()
        let service = service(clock) { $0.maxSessions = 2 }
        let other = try await logIn(service, isReadOnly: !isReadOnly)
        var tokens: [ConsoleToken] = []
        for _ in 0..<3 {
            clock.pass(60)
            tokens.append(try await logIn(service, isReadOnly: isReadOnly))
        }
        let open = Set(try await service.sessions(as: master).map(\.id))
        #expect(open == [other.session, tokens[1].session, tokens[2].session])
    }

    @Test("sessions that are over are removed at the next log-in")
    func removal() async throws {
        let clock = Clock()
        let service = service(clock)
        for _ in 0..<3 { _ = try await logIn(service) }
        clock.pass(24 * 3600)
        _ = try await logIn(service)
        #expect(store.count(of: .consoleSession) == 1)
    }

    @Test("sessions are ended one by one or all")
    func ends() async throws {
        let service = service(Clock())
        let tokens = [try await logIn(service), try await logIn(service), try await logIn(service)]
        try await service.end(tokens[0].session, as: master)
        #expect(try await service.session(of: tokens[0]) == nil)
        let error = await #expect(throws: ServiceError.self) { try await service.end(tokens[0].session, as: master) }
        #expect(error?.code == .objectNotFound)
        #expect(try await service.endAll(as: master) == 2)
        #expect(try await service.session(of: tokens[2]) == nil)
    }

    @Test("only the master key lists and ends sessions")
    func masterOnly() async throws {
        let service = service(Clock())
        let token = try await logIn(service)
        let guest = Caller(app: master.app)
        for call in [
            { _ = try await service.sessions(as: guest) },
            { try await service.end(token.session, as: guest) },
            { _ = try await service.endAll(as: guest) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ServiceError.self) { try await call() }
            #expect(error?.code == .masterKeyRequired)
        }
        #expect(try await service.session(of: token) != nil)
    }

    @Test("an entry of the audit log has its status when the change is done, and none before")
    func audit() async throws {
        let service = service(Clock())
        let session = try #require(try await service.session(of: try await logIn(service)))
        let change = ConsoleChange(
            method: "DELETE",
            path: "/1.1/classes/A/b",
            requestID: "r1",
            summary: String(repeating: "x", count: 1000)
        )
        let entry = try #require(try await service.begin(change, of: session, from: "192.0.2.1"))
        let before = try #require(try await store.read { try $0.object(entry, in: .consoleAudit) })
        #expect(before.fields["status"] == nil)
        #expect(before.fields["session"] == .string(session.id.description))
        #expect(before.fields["summary"]?.stringValue?.count == 300)
        try await service.finish(entry, status: 200)
        let after = try await store.read { try $0.object(entry, in: .consoleAudit) }
        #expect(after?.fields["status"] == .integer(200))
    }

    @Test("old entries of the audit log are removed")
    func auditLife() async throws {
        let clock = Clock()
        let service = service(clock) { $0.auditLife = 30 }
        let session = try #require(try await service.session(of: try await logIn(service)))
        let change = ConsoleChange(method: "POST", path: "/", requestID: "r", summary: "")
        _ = try await service.begin(change, of: session, from: "")
        clock.pass(30 * 24 * 3600)
        _ = try await service.begin(change, of: session, from: "")
        #expect(store.count(of: .consoleAudit) == 2)
        clock.pass(1)
        _ = try await service.begin(change, of: session, from: "")
        #expect(store.count(of: .consoleAudit) == 2)
    }

    @Test("on full storage a change is possible without an entry")
    func fullStorage() async throws {
        let clock = Clock()
        let full = MemoryObjectStore(failingWritesWith: ServiceError(.storageFull, "full"))
        let session = try #require(try await service(clock).session(of: try await logIn(service(clock))))
        let service = ConsoleService(store: full, keys: Self.keys)
        let change = ConsoleChange(method: "DELETE", path: "/", requestID: "r", summary: "")
        #expect(try await service.begin(change, of: session, from: "") == nil)
    }
}
