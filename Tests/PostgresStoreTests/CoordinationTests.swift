import Domain
import Foundation
import Support
import Testing

@testable import PostgresStore

/// What several servers of one schema agree on: leases, locks, and who is allowed to use the schema.
@Suite struct CoordinationTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    private func coordination(_ store: PostgresObjectStore) throws -> any ServerCoordination {
        try #require(store.coordination)
    }

    /// Ends connections of an application on the server's side: all, or those whose last statement has a word.
    private func endConnections(of application: String, running word: String = "", _ address: PostgresAddress) throws {
        try PostgresConnection(address).run(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
            WHERE application_name = \(application) AND query LIKE '%' || \(word) || '%'
            """
        )
    }

    // Leases

    @Test("a lease has one holder, which can renew and release it; others get it when it is over")
    func leases() async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try coordination(stores[0]), try coordination(stores[1]))
            let jobs: Set<LeasedJob> = [.mails, .sms]
            #expect(try await first.take(jobs, for: "a", lasting: .seconds(600)) == jobs)
            #expect(try await second.take([.mails, .people], for: "b", lasting: .seconds(600)) == [.people])
            #expect(try await first.take(jobs, for: "a", lasting: .seconds(600)) == jobs)
            // One of another holder is not released.
            try await second.release(jobs, of: "b")
            #expect(try await second.take([.sms], for: "b", lasting: .seconds(600)) == [])
            try await first.release([.mails], of: "a")
            #expect(try await second.take([.mails], for: "b", lasting: .seconds(600)) == [.mails])
            _ = try await first.take([.sms], for: "a", lasting: .milliseconds(1))
            try await eventually { try await second.take([.sms], for: "b", lasting: .seconds(600)) == [.sms] }
            #expect(try await first.take(jobs, for: "a", lasting: .seconds(600)) == [])
        }
    }

    @Test("of many servers that want a lease at the same moment one gets it")
    func race() async throws {
        try await Engine.withStores(4) { stores in
            for _ in 0..<10 {
                let takers = try await withThrowingTaskGroup { group in
                    for (number, store) in stores.enumerated() {
                        let coordination = try coordination(store)
                        group.addTask {
                            let jobs = Set(LeasedJob.allCases)
                            return (number, try await coordination.take(jobs, for: "\(number)", lasting: .seconds(600)))
                        }
                    }
                    return try await group.reduce(into: [Int: Set<LeasedJob>]()) { $0[$1.0] = $1.1 }
                }
                #expect(takers.values.reduce(0) { $0 + $1.count } == LeasedJob.allCases.count)
                for (number, jobs) in takers {
                    try await coordination(stores[number]).release(jobs, of: "\(number)")
                }
            }
        }
    }

    @Test("while another server has a lease, an attempt writes nothing")
    func attempts() async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try coordination(stores[0]), try coordination(stores[1]))
            _ = try await first.take([.scrub], for: "a", lasting: .seconds(600))
            let connection = try PostgresConnection(stores[0].address)
            let row: SQL = "SELECT xmax::text || ' ' || ctid::text FROM lease"
            let before = try connection.run(row).text(0, 0)
            for _ in 0..<3 { #expect(try await second.take([.scrub], for: "b", lasting: .seconds(600)) == []) }
            #expect(try connection.run(row).text(0, 0) == before)
        }
    }

    @Test("work moves from a server that stops to another one, which does not wait for the end of the lease")
    func work() async throws {
        try await Engine.withStores(2) { stores in
            let app = try #require(AppID("app"))
            let names = Counter()
            func run(_ store: PostgresObjectStore, _ running: Counter) -> Task<Void, Never> {
                // Only a release frees it.
                let leases = Leases(store.coordination, of: app, times: Leases.Times(lease: .seconds(3600)))
                return Task {
                    let keeper = Task { await leases.run() }
                    await leases.holding(.mails) {
                        _ = running.next()
                        try? await Task.sleep(for: .seconds(600))
                        _ = names.next()
                    }
                    keeper.cancel()
                    await keeper.value
                }
            }
            let runs = [Counter(), Counter()]
            let first = run(stores[0], runs[0])
            try await eventually { runs[0].value == 1 }
            let second = run(stores[1], runs[1])
            first.cancel()
            await first.value
            try await eventually { runs[1].value == 1 }
            #expect(names.value == 1)
            second.cancel()
            await second.value
        }
    }

    // Locks

    @Test("a name is locked by one server at a time, in its scope", arguments: LockScope.allCases)
    func locks(scope: LockScope) async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try coordination(stores[0]), try coordination(stores[1]))
            let names = ["ключ/\(scope)/\"{a}\"", "b\\"]
            try await first.lock(names, scope)
            // Another scope and other names are free.
            for other in LockScope.allCases where other != scope {
                try await second.lock(names, other)
                await second.unlock(names, other)
            }
            try await second.lock(["c"], scope)
            let waiting = Task { try await second.lock([names[1]], scope) }
            await first.unlock([names[0]], scope)
            try await second.lock([names[0]], scope)
            await first.unlock([names[1]], scope)
            try await waiting.value
            await second.unlock(names + ["c"], scope)
            try await first.lock(names + ["c"], scope)
        }
    }

    @Test("locks of a server whose connection ends are free")
    func lostLocks() async throws {
        try await Engine.withAddress { address in
            let own = PostgresAddress(url: address.url, schema: address.schema, applicationName: address.schema)
            let (first, second) = (try PostgresObjectStore(own), try PostgresObjectStore(address))
            try await coordination(first).lock(["a"], .app)
            try endConnections(of: own.applicationName, running: "advisory", address)
            try await coordination(second).lock(["a"], .app)
            try await coordination(first).unlock(["a"], .app)
            let failures = Counter()
            // The lost connection is noticed by the first use at the latest.
            try await eventually {
                do {
                    try await coordination(first).lock(["b"], .app)
                    return true
                } catch {
                    return failures.next() > 1
                }
            }
            #expect(failures.value < 2)
            try await first.close()
            try await second.close()
        }
    }

    // Callers

    @Test("a change that concerns callers is published before a server that asks gets its answer")
    func callers() async throws {
        try await Engine.withStores(1) { stores in
            let address = stores[0].address
            // A server whose listener does not run.
            let pool = ConnectionPool(address)
            let relay = ChangeRelay(feed: ChangeFeed(), server: "deaf")
            let deaf = PostgresCoordination(pool, relay, SchemaClaim(.tool, of: "deaf", schema: address.schema))
            deaf.start()
            let state = try pool.withConnection { try $0.run("SELECT last_change FROM state").integer(0, 0) }
            relay.begin(after: try #require(state))
            let cache = AccountDependencies(changes: relay.feed, hasher: PlainHasher()).sessionCache
            let ids = ObjectIDGenerator()
            let session = StoredObject(id: ids.next(), createdAt: .now(), updatedAt: .now(), fields: [:])
            let other = StoredObject(id: ids.next(), createdAt: .now(), updatedAt: .now(), fields: [:])
            try await stores[0].write { try $0.insert(session, into: .session) }
            let epoch = cache.epoch
            #expect(try await deaf.hasPublishedCallers())
            #expect(relay.published == state, "a new session concerns no cached caller")
            try await stores[0].write { try $0.insert(other, into: .session) }
            _ = try await stores[0].write { try $0.delete(session.id, in: .session) }
            #expect(cache.epoch == epoch)
            #expect(try await deaf.hasPublishedCallers())
            #expect(cache.epoch > epoch)
            // Undone changes do not count.
            let published = relay.published
            _ = try? await stores[0].write { writer in
                _ = try writer.delete(other.id, in: .session)
                throw Broken()
            }
            #expect(try await deaf.hasPublishedCallers())
            #expect(relay.published == published)
            try await deaf.close()
            pool.close()
        }
    }

    @Test("an own change whose publication is under way leaves the cache out")
    func ownChange() async throws {
        try await Engine.withStores(1) { stores in
            let address = stores[0].address
            let pool = ConnectionPool(address)
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own")
            let coordination = PostgresCoordination(pool, relay, SchemaClaim(.tool, of: "own", schema: address.schema))
            coordination.start()
            let number = try pool.withConnection { connection in
                let change = LoggedChange(className: .session, id: try #require(ObjectID("a")), kind: .deleted)
                let result = try connection.run(
                    """
                    WITH next AS (UPDATE state SET last_change = last_change + 1, callers = last_change + 1 \
                    RETURNING last_change) INSERT INTO change_log (number, server, changes) \
                    SELECT last_change, \("own"), \(text: LoggedChange.encoded([change])) FROM next RETURNING number
                    """
                )
                return try #require(result.integer(0, 0))
            }
            relay.begin(after: number - 1)
            relay.beginCommit()
            #expect(try await coordination.hasPublishedCallers() == false)
            relay.publish(relay.feed.transaction(), as: number)
            #expect(try await coordination.hasPublishedCallers())
            try await coordination.close()
            pool.close()
        }
    }

    @Test("a session that ends on one server is refused by the others in the very next request, and so is a role")
    func sessions() async throws {
        try await Engine.withStores(2) { stores in
            let servers = try stores.map { try SessionServer($0) }
            for number in 0..<20 {
                let token = try await servers[0].signUp("ann\(number)")
                let caller = try await servers[1].caller(token)
                let user = try #require(caller.user)
                #expect(try await servers[1].caller(token).user?.session == user.session)
                _ = try await stores[0].write { try $0.delete([user.session], in: .session) }
                #expect(try await servers[1].caller(token).user == nil)
                #expect(try await servers[1].sessions.revalidated(caller).user == nil)
            }
            #expect(servers[1].sessions.cacheCounts.hits > 0)
        }
    }

    /// The accounts of one server.
    private struct SessionServer {
        let sessions: SessionService
        let objects: ObjectService
        let guest: Caller

        init(_ store: PostgresObjectStore) throws {
            guest = Caller(app: try #require(AppID("app")))
            let settings = ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
            )
            objects = ObjectService(store: store, settings: settings)
            sessions = SessionService(store: store, dependencies: settings.accountDependencies)
        }

        func signUp(_ name: String) async throws -> String {
            let body = JSONValue.object(["username": .string(name), "password": "p4ss"])
            let change = try ObjectChange(body, allowsPaths: false)
            let reply = try await objects.perform(
                ObjectCommand(.user, .create(change, returnsObject: false)),
                as: guest
            ).members
            return try #require(reply["sessionToken"]?.stringValue)
        }

        func caller(_ token: String) async throws -> Caller {
            try await sessions.caller(guest, showing: token)
        }
    }

    @Test("a server whose network is silent refuses sessions, and empties its caches within seconds")
    func silence() async throws {
        try await Engine.withAddress { direct in
            let url = try #require(URLComponents(string: direct.url))
            let proxy = try LossyProxy(to: UInt16(try #require(url.port)))
            defer { proxy.close() }
            var own = url
            own.port = Int(proxy.port)
            let address = PostgresAddress(url: try #require(own.string), schema: direct.schema, timeout: 2)
            let store = try PostgresObjectStore(address)
            let coordination = try coordination(store)
            #expect(try await coordination.hasPublishedCallers())
            let missed = Counter()
            store.changes.subscribe(to: [ChangeFilter(.file)]) { event in
                if case .missed = event { _ = missed.next() }
            }
            proxy.freeze()
            let start = ContinuousClock.now
            await expectFailure(.storageReadOnly) { _ = try await coordination.hasPublishedCallers() }
            #expect(ContinuousClock.now - start < .seconds(60))
            try await eventually { missed.value > 0 }
            #expect(ContinuousClock.now - start < .seconds(60))
            // They stay empty until the server listens again.
            let before = missed.value
            try await eventually { missed.value > before }
            proxy.freeze(false)
            try await eventually { (try? await coordination.hasPublishedCallers()) == true }
            try await store.close()
        }
    }

    // Who uses the schema

    @Test(
        "a server with blobs of its own is the only one; others share the schema among themselves",
        arguments: [
            (SchemaUse.exclusive, SchemaUse.exclusive, false), (.exclusive, .shared, false),
            (.shared, .exclusive, false), (.shared, .shared, true), (.exclusive, .tool, true),
        ]
    )
    func uses(first: SchemaUse, second: SchemaUse, isAllowed: Bool) async throws {
        try await Engine.withAddress { plain in
            let address = PostgresAddress(url: plain.url, schema: plain.schema, timeout: 1)
            let store = try PostgresObjectStore(address, use: first)
            #expect(store.isShared == (first != .exclusive))
            #expect((store.coordination != nil) == store.isShared)
            if isAllowed {
                let other = try PostgresObjectStore(address, use: second)
                try await other.write { try $0.save(ClassSchema(name: CoordinationTests.task)) }
                try await other.close()
            } else {
                let failure = #expect(throws: OpenFailure.self) { try PostgresObjectStore(address, use: second) }
                #expect(failure?.message.contains("is used by a") == true)
            }
            _ = try await store.write { try $0.schemas() }
            try await store.close()
            // The next one gets it at once.
            let next = try PostgresObjectStore(address, use: second)
            _ = try await next.write { try $0.schemas() }
            try await next.close()
        }
    }

    @Test("a server that is alone goes on after the loss of its connections")
    func lostClaim() async throws {
        try await Engine.withAddress { plain in
            let name = plain.schema
            let address = PostgresAddress(url: plain.url, schema: name, applicationName: name, timeout: 1)
            let store = try PostgresObjectStore(address, use: .exclusive)
            try endConnections(of: address.applicationName, plain)
            try await store.write { try $0.save(ClassSchema(name: CoordinationTests.task)) }
            // It takes the lock again.
            let connection = try PostgresConnection(plain)
            try await eventually {
                try connection.run(
                    """
                    SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) \
                    WHERE locktype = 'advisory' AND application_name = \(address.applicationName))
                    """
                ).boolean(0, 0)
            }
            #expect(throws: OpenFailure.self) { try PostgresObjectStore(address, use: .exclusive) }
            _ = try await store.write { try $0.schemas() }
            try await store.close()
        }
    }

    @Test("a server that lost its connection writes nothing after another one took the schema, and then reads nothing")
    func takenSchema() async throws {
        try await Engine.withAddress { plain in
            let url = try #require(URLComponents(string: plain.url))
            let proxy = try LossyProxy(to: UInt16(try #require(url.port)))
            var own = url
            own.port = Int(proxy.port)
            let address = PostgresAddress(
                url: try #require(own.string),
                schema: plain.schema,
                applicationName: plain.schema,
                timeout: 1
            )
            let store = try PostgresObjectStore(address, use: .exclusive)
            try await store.write { try $0.save(ClassSchema(name: CoordinationTests.task)) }
            // It cannot connect any more, but has a connection for changes.
            proxy.close()
            try endConnections(of: address.applicationName, running: "change_log", plain)
            let other = try PostgresObjectStore(plain, use: .exclusive)
            await expectFailure(.storageReadOnly) { _ = try await store.write { try $0.schemas() } }
            await expectFailure(.storageReadOnly) { _ = try await store.read { try $0.schemas() } }
            _ = try await other.write { try $0.schemas() }
            try await store.close()
            try await other.close()
        }
    }
}
