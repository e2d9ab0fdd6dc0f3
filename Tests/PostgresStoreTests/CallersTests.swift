import Domain
import Support
import Testing

@testable import PostgresStore

/// What the servers of one schema know about those who are allowed to do something.
@Suite struct CallersTests {
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
            relay.publish(relay.feed.transaction(), as: LogEntry(number: number), in: 0)
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

    @Test("a server whose network is silent refuses sessions, and empties its caches")
    func silence() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct, timeout: 5)
            defer { proxy.close() }
            let store = try PostgresObjectStore(address)
            let coordination = try Engine.coordination(store)
            #expect(try await coordination.hasPublishedCallers())
            let missed = Counter()
            store.changes.subscribe(to: [ChangeFilter(.file)]) { event in
                if case .missed = event { _ = missed.next() }
            }
            proxy.freeze()
            await expectFailure(.unavailable) { _ = try await coordination.hasPublishedCallers() }
            try await eventually { missed.value > 0 }
            // They stay empty until the server listens again.
            let before = missed.value
            try await eventually { missed.value > before }
            proxy.freeze(false)
            try await eventually { (try? await coordination.hasPublishedCallers()) == true }
            try await store.close()
        }
    }
}
