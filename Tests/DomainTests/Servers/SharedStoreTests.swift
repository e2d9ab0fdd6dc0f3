import Support
import Testing

@testable import Domain

/// What a server does not believe from its memory when other servers change the same objects.
@Suite struct SharedStoreTests {
    private let coordination = MemoryCoordination()

    /// A store that other servers change without this one hearing of it, until it hears that it missed something.
    private func quiet(_ base: MemoryObjectStore) -> HookedStore {
        HookedStore(base, changes: ChangeFeed(), isShared: true)
    }

    @Test("a cached session counts only if the store says that no server has ended it, and guests ask nothing")
    func sessions() async throws {
        let base = MemoryObjectStore(isShared: true, coordination: coordination)
        let other = try SessionFixture(store: base)
        let ann = try await other.signUp("ann")
        let store = quiet(base)
        let dependencies = AccountDependencies(changes: store.changes, hasher: PlainHasher())
        let sessions = SessionService(store: store, dependencies: dependencies)
        #expect(try await sessions.caller(other.guest, showing: "no token").user == nil)
        #expect(coordination.askedForCallers == 0)
        let caller = try await sessions.caller(other.guest, showing: ann.token)
        #expect(caller.user?.id == ann.id)
        let reads = base.readCount
        #expect(try await sessions.caller(other.guest, showing: ann.token).user?.id == ann.id)
        #expect(try await sessions.revalidated(caller).user?.id == ann.id)
        #expect(base.readCount == reads)
        #expect(coordination.askedForCallers == 2)
        // Another server ends the session.
        let session = try #require(caller.user?.session)
        _ = try await base.write { try $0.delete(session, in: .session) }
        coordination.knowsCallers = false
        #expect(try await sessions.caller(other.guest, showing: ann.token).user == nil)
        #expect(try await sessions.revalidated(caller).user == nil)
    }

    @Test("a server that cannot ask refuses sessions instead of believing its cache")
    func cutOff() async throws {
        let store = MemoryObjectStore(isShared: true, coordination: coordination)
        let fixture = try SessionFixture(store: store)
        let ann = try await fixture.signUp("ann")
        let caller = try await fixture.caller(ann.token)
        coordination.failure = Broken()
        await #expect(throws: Broken.self) { try await fixture.caller(ann.token) }
        await #expect(throws: Broken.self) { try await fixture.sessions.revalidated(caller) }
        _ = try await fixture.sessions.revalidated(fixture.guest)
    }

    @Test("a session that ends while the store is asked is not taken from the cache")
    func race() async throws {
        let cache = SessionCache(bound: 10)
        let (ids, token) = (ObjectIDGenerator(), SessionToken())
        let (id, session) = (ids.next(), ids.next())
        _ = try await cache.user(of: token) { Caller.User(id: id, session: session, epoch: $0) }
        let confirm = {
            cache.end(session)
            return true
        }
        let found = try await cache.user(of: token, confirming: confirm) { _ in nil }
        #expect(found == nil)
    }

    @Test(
        "a private file that another server deleted is not served from the cache, and is never prepared",
        arguments: [true, false]
    )
    func files(isPrivate: Bool) async throws {
        let store = quiet(MemoryObjectStore(isShared: true, coordination: coordination))
        let service = FileService(files: FileRecords(store), blobs: MemoryBlobStore())
        let record = try Samples.record()
        try await FileRecords(store).insert([record])
        if isPrivate {
            try await store.write { writer in
                var object = try #require(try writer.object(record.id, in: .file))
                object.acl = AccessControlList(stored: ["6b017ba12dd266ba0b930c5d": .object(["read": .bool(true)])])
                try writer.update(object, in: .file)
            }
        }
        let file = try #require(try await service.find(record.key))
        #expect(service.canBePrepared(file) == !isPrivate)
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        #expect(try await service.find(record.key) == (isPrivate ? nil : file))
        store.changes.publishMissed()
        #expect(try await service.find(record.key) == nil)
    }

    @Test("settings of censorship and known images are read again after missed changes")
    func censorship() async throws {
        let fixture = try await CensorFixture()
        let store = quiet(fixture.store)
        let (policy, known) = (CensorPolicy(), KnownImages())
        try await policy.follow(store)
        try await known.follow(store)
        try await fixture.set(["hold": .bool(true)])
        let image = KnownImage(
            id: ObjectIDGenerator().next(),
            digest: nil,
            hash: PerceptualHash(words: [1, 2, 3, 4], quality: 100),
            file: nil,
            at: .now()
        )
        try await fixture.store.write { try $0.insert(image.object, into: .knownImage) }
        #expect(!policy.settings.holds)
        #expect(known.count == 0)
        let task = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await policy.readMissedChanges(of: store) }
                group.addTask { await known.readMissedChanges(of: store) }
            }
        }
        store.changes.publishMissed()
        try await eventually { policy.settings.holds && known.count == 1 }
        task.cancel()
        await task.value
    }

    @Test("a server that starts beside others leaves the jobs on which they work, until it has the lease of the queue")
    func start() async throws {
        let fixture = try await CensorFixture()
        let queue = CensorQueue(
            app: fixture.app,
            store: quiet(fixture.store),
            checks: fixture.queue.checks,
            policy: CensorPolicy(),
            limits: CheckLimits()
        )
        let service = CensorService(
            queue: queue,
            classifier: fixture.classifier,
            known: KnownImages(),
            previews: fixture.service.previews,
            presentation: fixture.service.presentation,
            webhookSecret: nil
        )
        var job = CensorJob(.check, of: ObjectIDGenerator().next(), at: .now())
        job.lease = "another server's"
        try await fixture.store.write { [job] in try $0.insert(job.object, into: .censorJob) }
        try await service.start()
        let id = job.id
        #expect(try await fixture.store.read { try $0.object(id, in: .censorJob)?.fields["lease"] } != nil)
        let leases = Leases(coordination, of: fixture.app)
        let keeper = Task { await leases.run() }
        await leases.holding(.censorship, recovering: queue.recover) {}
        #expect(try await fixture.store.read { try $0.object(id, in: .censorJob)?.fields["lease"] } == nil)
        keeper.cancel()
        await keeper.value
    }

    @Test("the bytes of a deleted file are removed only while no other server creates a file of the key")
    func deletions() async throws {
        let store = MemoryObjectStore(isShared: true, coordination: coordination)
        let blobs = MemoryBlobStore()
        let files = FileService(files: FileRecords(store), blobs: blobs)
        let app = try #require(AppID("app"))
        let deletions = FileDeletions(app: app, store: store, blobs: blobs, files: files)
        let record = try Samples.record()
        _ = try await blobs.store("abc", as: record.key)
        try await FileRecords(store).insert([record])
        try await store.write { writer in
            let stored = try writer.object(record.id, in: .file).flatMap { StoredFile($0) }
            _ = try writer.delete(record.id, in: .file)
            try writer.releaseBytes(of: [#require(stored)], at: .now(), ids: ObjectIDGenerator())
        }
        try await coordination.lock([record.key.description], .app)
        let worker = Task { await deletions.drain() }
        try await eventually { coordination.waitingForLocks == 1 }
        // The other server removes the old bytes and creates the file.
        try await store.write { writer in
            let rows = try writer.rows(ObjectQuery(.deletion, page: .all)).map(\.id)
            try writer.delete(rows, in: .deletion)
        }
        try await FileRecords(store).insert([record])
        coordination.unlock([record.key.description], .app)
        #expect(await worker.value)
        #expect(try await blobs.open(record.key) != nil)
    }

    @Test("a key is claimed among the servers of all apps, if there are several apps", arguments: [1, 2])
    func claims(apps: Int) async throws {
        let claims = KeyClaims()
        let names = try ["first", "second"].prefix(apps).map { try #require(AppID($0)) }
        for name in names {
            claims.add(name, FileRecords(MemoryObjectStore(isShared: true, coordination: coordination)))
        }
        let key = try Samples.record().key
        try await coordination.lock([key.description], .allApps)
        let task = Task { try await claims.claiming(key, for: names[0]) { true } }
        if apps > 1 {
            try await eventually { coordination.waitingForLocks == 1 }
            coordination.unlock([key.description], .allApps)
        }
        #expect(try await task.value)
    }
}
