package import Domain
internal import Testing

/// The contract of every ``ObjectStore`` about rules that count and then insert: they hold for concurrent callers.
package enum ConcurrencyContract {
    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("files stay within the quota, and their bytes are counted exactly") { store in
            let outcome = await race(40) { _ in
                let record = try Samples.record(size: 10)
                try await FileRecords(store).insert([record], as: Samples.guest(), within: 55)
            }
            #expect(outcome == Outcome(successes: 5, refusals: [.quotaExceeded]))
            let usage = try await store.read { try $0.usage() }
            #expect(usage.bytes == 50)
            #expect(usage.files == 5)
        },
        ContractRule("a read by id sees every write that returned before it, and a write whole") { store in
            let name = try ClassName("Pair")
            let ids = [ObjectIDGenerator().next(), ObjectIDGenerator().next()]
            let last = 300
            @Sendable func write(_ number: Int) async throws {
                try await store.write { writer in
                    for id in ids {
                        let now = Timestamp(milliseconds: Int64(number))
                        let object = StoredObject(id: id, createdAt: now, updatedAt: now, fields: [:])
                        if number == 0 { try writer.insert(object, into: name) }
                        try writer.update(object, in: name)
                    }
                }
            }
            try await store.write { try $0.save(ClassSchema(name: name)) }
            try await write(0)
            let written = Counter()
            let wrong = try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    for number in 1...last {
                        try await write(number)
                        _ = written.next()
                    }
                    return nil
                }
                for _ in 0..<3 {
                    group.addTask {
                        var least = 0
                        while least < last {
                            least = written.value
                            let found = try await store.lookUp { reader in
                                try ids.map { try reader.row($0, in: name)?.updatedAt.milliseconds ?? -1 }
                            }
                            guard found[0] == found[1], found[0] >= least else { return "\(found) after \(least)" }
                            // A store in memory answers without a suspension, and the writer needs a thread.
                            await Task.yield()
                        }
                        return nil
                    }
                }
                return try await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
            }
            #expect(wrong == [])
        },
        ContractRule("a key is taken once") { store in
            let key = try Samples.record().key
            let outcome = await race(30) { _ in
                try await FileRecords(store).insert([try Samples.record(key: key)])
            }
            #expect(outcome == Outcome(successes: 1, refusals: [.duplicateValue]))
        },
        ContractRule("a deletion queues the bytes of a file once") { store in
            let record = try Samples.record()
            try await FileRecords(store).insert([record])
            let server = try Server(store)
            let outcome = await race(20) { _ in
                _ = try await server.objects.perform(
                    ObjectCommand(.file, .delete([record.id], where: nil)),
                    as: server.master
                )
            }
            #expect(outcome == Outcome(successes: 20, refusals: []))
            #expect(try await store.read { try $0.count(.always, in: .deletion) } == 1)
            #expect(try await store.read { try $0.usage() } == Usage())
        },
        ContractRule("unfinished uploads stay within the limits of their caller") { store in
            let server = try Server(store, uploads: UploadLimits(openGuests: 3))
            let outcome = await race(30) { _ in _ = try await server.announce() }
            #expect(outcome == Outcome(successes: 3, refusals: [.tooManyUploads]))
            #expect(try await store.read { try $0.usage().uploads } == 3)
        },
        ContractRule("announced bytes stay within the quota") { store in
            let server = try Server(store, uploads: UploadLimits(quota: 25))
            let outcome = await race(30) { _ in _ = try await server.announce(size: 10) }
            #expect(outcome == Outcome(successes: 2, refusals: [.quotaExceeded]))
            #expect(try await store.read { try $0.usage().announced } == 20)
        },
        ContractRule("one key has one unfinished upload") { store in
            let server = try Server(store)
            let outcome = await race(30) { _ in _ = try await server.announce(key: "chosen/a.txt") }
            #expect(outcome == Outcome(successes: 1, refusals: [.duplicateValue]))
        },
        ContractRule("two users have one relation, and only one request") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let followed = await race(10) { _ in try await app.follow(bob, by: ann) }
            #expect(followed == Outcome(successes: 10, refusals: []))
            let asked = await race(10) { _ in _ = try await app.request(bob, by: ann) }
            #expect(asked == Outcome(successes: 1, refusals: [.badRequest]))
            for name in [ClassName.follower, .followee, .friendshipRequest] {
                #expect(try await app.count(of: name) == 1)
            }
        },
        ContractRule("followees stay within their limit") { store in
            let app = try await PeopleApp(store, PeopleLimits(followees: 3))
            let ann = try await app.user("ann")
            var others: [Caller] = []
            for number in 0..<10 { others.append(try await app.user("user\(number)")) }
            let outcome = await race(10) { [others] in try await app.follow(others[$0], by: ann) }
            #expect(outcome == Outcome(successes: 3, refusals: [.badRequest]))
            #expect(try await app.count(of: .followee) == 3)
        },
        ContractRule("statuses of several authors get numbers of their own in an inbox") { store in
            let app = try await PeopleApp(store)
            let bob = try await app.user("bob")
            var authors: [Caller] = []
            for number in 0..<5 { authors.append(try await app.user("user\(number)")) }
            let outcome = await race(15) { [authors] number in
                try await app.publish("\(number)", as: authors[number % 5], to: bob)
            }
            #expect(outcome == Outcome(successes: 15, refusals: []))
            let inbox = try await app.inbox(InboxSearch(type: "private"), as: bob)
            let numbers = inbox.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
            #expect(numbers == Array((1...15).reversed()))
        },
        ContractRule("a name has one user") { store in
            let server = try Server(store)
            let outcome = await race(20) { _ in try await server.signUp("ann") }
            #expect(outcome == Outcome(successes: 1, refusals: [.usernameTaken]))
            #expect(try await store.read { try $0.count(.always, in: .user) } == 1)
        },
        ContractRule("an address makes as many users as it is allowed, and those that are refused count for nothing") {
            store in
            let server = try Server(store, AccountSettings(maxSignUps: 5))
            let outcome = await race(20) { try await server.signUp("user\($0 % 10)") }
            #expect(outcome.refusals.isSubset(of: [.overloaded, .usernameTaken]))
            // A sign-up that is refused in the end can have taken the last of the allowance from another one.
            #expect((1...5).contains(outcome.successes))
            for number in outcome.successes..<5 { try await server.signUp("later\(number)") }
            let error = await #expect(throws: ServiceError.self) { try await server.signUp("last") }
            #expect(error?.code == .overloaded)
            #expect(try await store.read { try $0.count(.always, in: .user) } == 5)
        },
        ContractRule("a user has as many sessions as the limit says") { store in
            let server = try Server(store, AccountSettings(maxSessions: 3))
            try await server.signUp("ann")
            let outcome = await race(20) { _ in try await server.logIn("ann") }
            #expect(outcome == Outcome(successes: 20, refusals: []))
            #expect(try await store.read { try $0.count(.always, in: .session) } == 3)
        },
        ContractRule("an app has as many classes as the limit says") { store in
            let server = try Server(store, objects: ObjectLimits(classes: 4, guestShare: 100))
            let outcome = await race(20) { try await server.create("{}", in: try ClassName("Class\($0)")) }
            #expect(outcome == Outcome(successes: 4, refusals: [.badRequest]))
            #expect(try await store.read { try $0.schemas().count(where: { !$0.name.isBuiltIn }) } == 4)
        },
        ContractRule("a field that counts up numbers objects without gap or repetition") { store in
            let name = try ClassName("Ticket")
            try await store.write { writer in
                var field = FieldDefinition(.number)
                field.isAutoIncrement = true
                try writer.save(ClassSchema(name: name, fields: ["number": field]))
            }
            let server = try Server(store)
            let outcome = await race(30) { _ in try await server.create("{}", in: name) }
            #expect(outcome == Outcome(successes: 30, refusals: []))
            let numbers = try await store.read { reader in
                try reader.find(ObjectQuery(name, page: .all)).compactMap { $0.fields["number"]?.integerValue }
            }
            #expect(numbers.sorted() == Array(1...30))
        },
    ]

    /// The results of concurrent callers.
    private struct Outcome: Sendable, Equatable {
        var successes = 0
        /// The codes of the refusals.
        var refusals: Set<ServiceError.Code> = []
    }

    /// Runs a body many times concurrently; records errors that are not refusals.
    private static func race(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async -> Outcome {
        await withTaskGroup(of: ServiceError.Code?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        try await body(number)
                        return nil
                    } catch let error as ServiceError {
                        return error.code
                    } catch {
                        Issue.record(error)
                        return nil
                    }
                }
            }
            return await group.reduce(into: Outcome()) { outcome, code in
                if let code { outcome.refusals.insert(code) } else { outcome.successes += 1 }
            }
        }
    }
}

/// The services of one app on a store.
private struct Server: Sendable {
    let guest: Caller
    let master: Caller
    let objects: ObjectService
    private let accounts: AccountService
    private let uploads: UploadService

    init(
        _ store: any ObjectStore,
        _ accountSettings: AccountSettings = AccountSettings(),
        objects limits: ObjectLimits = ObjectLimits(),
        uploads uploadLimits: UploadLimits = UploadLimits()
    ) throws {
        guest = try Samples.guest()
        master = Caller(app: guest.app, isMaster: true)
        let settings = ObjectSettings(
            limits: limits,
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accountDependencies: AccountDependencies(
                settings: accountSettings,
                changes: store.changes,
                hasher: PlainHasher()
            )
        )
        objects = ObjectService(store: store, settings: settings)
        accounts = AccountService(store: store, settings: settings)
        uploads = UploadService(
            app: guest.app,
            limits: uploadLimits,
            storage: BlobStorage(staging: MemoryStagingArea(), blobs: MemoryBlobStore()),
            store: store,
            types: FixedTypes(),
            sessions: SessionService(store: store, dependencies: settings.accountDependencies)
        )
    }

    func create(_ text: String, in name: ClassName) async throws {
        let change = try ObjectChange(try json(text), allowsPaths: false)
        _ = try await objects.perform(ObjectCommand(name, .create(change, returnsObject: false)), as: guest)
    }

    func signUp(_ name: String) async throws {
        try await create(#"{"username":"\#(name)","password":"p4ss"}"#, in: .user)
    }

    func logIn(_ name: String) async throws {
        let body = try json(#"{"username":"\#(name)","password":"p4ss"}"#).objectValue
        _ = try await accounts.logIn(body ?? [:], as: guest)
    }

    /// Announces an upload; one with a chosen key as the master key, because only it can choose keys.
    func announce(size: Int64? = nil, key: String? = nil) async throws -> UploadToken {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255), metaData: [:])
        let announcement = UploadAnnouncement(description, key: key, size: size)
        return try await uploads.announce(announcement, as: key == nil ? guest : master).token
    }

    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "body")
    }
}
