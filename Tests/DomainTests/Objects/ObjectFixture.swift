import Domain
import Support
import Synchronization
import Testing

/// One app's objects in memory, and what tests do with them in one line.
struct ObjectFixture {
    let store: CountingStore
    let client: Caller
    let master: Caller
    let task: ClassName
    let folder: ClassName
    var accountDependencies: AccountDependencies

    /// Creates an empty app, whose store returns at most `largestReply` bytes of objects for a query.
    init(largestReply: Int = .max) throws {
        store = CountingStore(largestReply: largestReply)
        accountDependencies = AccountDependencies(changes: store.changes, hasher: PlainHasher())
        let app = try #require(AppID("app"))
        client = Caller(app: app)
        master = Caller(app: app, isMaster: true)
        task = try ClassName("Task")
        folder = try ClassName("Folder")
    }

    func service(_ limits: ObjectLimits = ObjectLimits(), replySize: Int = 6 << 20) -> ObjectService {
        let settings = ObjectSettings(
            limits: limits,
            queries: QueryLimits(replySize: replySize),
            files: FilePresentation(publicURL: "https://files.example.com", bucket: "app"),
            accountDependencies: accountDependencies
        )
        return ObjectService(store: store, settings: settings)
    }

    func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "body")
    }

    @discardableResult
    func create(
        _ text: String,
        in name: ClassName? = nil,
        limits: ObjectLimits = ObjectLimits(),
        as caller: Caller? = nil
    ) async throws -> Pointer {
        let change = try ObjectChange(try json(text), allowsPaths: false)
        let command = ObjectCommand(name ?? task, .create(change, returnsObject: false))
        return try #require(try await service(limits).perform(command, as: caller ?? client).created)
    }

    func update(_ object: Pointer, _ text: String) async throws -> [String: JSONValue] {
        let change = try ObjectChange(try json(text), allowsPaths: true)
        let command = ObjectCommand(object.className, .update(object.id, change, where: nil, returnsObject: true))
        return try await service().perform(command, as: client).members
    }

    func find(_ view: ObjectView = .plain, as caller: Caller? = nil) async throws -> [JSONValue] {
        let command = ObjectCommand(task, .find(ObjectCommand.Search(page: try Page())), view: view)
        let reply = try await service().perform(command, as: caller ?? client)
        return try #require(reply.listing).objects.map { .object(try $0.members) }
    }
}

/// A store in memory that counts how often objects are looked up by ids.
final class CountingStore: ObjectStore {
    private let store = MemoryObjectStore()
    private let counter = Counter()
    private let hook = Mutex<(@Sendable () async -> Void)?>(nil)
    private let largestReply: Int

    init(largestReply: Int = .max) {
        self.largestReply = largestReply
    }

    /// Does something once, after the next read within a budget and before that read's caller goes on.
    func afterNextRead(_ body: @escaping @Sendable () async -> Void) {
        hook.withLock { $0 = body }
    }

    var changes: ChangeFeed { store.changes }

    /// How often it was asked so far.
    var lookups: Int { counter.value }

    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await store.read(within: budget) { [counter, largestReply] in
            try body(CountingReader(base: $0, counter: counter, largestReply: largestReply))
        }
        let after = hook.withLock { hook in
            defer { if budget != nil { hook = nil } }
            return budget == nil ? nil : hook
        }
        await after?()
        return result
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await store.write(body)
    }
}

private struct CountingReader: ReadTransaction {
    let base: any ReadTransaction
    let counter: Counter
    let largestReply: Int

    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow] {
        _ = counter.next()
        return try base.rows(ids, in: name, readableBy: readers, upTo: size, reading: projection)
    }

    func schema(of name: ClassName) throws -> ClassSchema? { try base.schema(of: name) }
    func schemas() throws -> [ClassSchema] { try base.schemas() }
    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow? { try base.row(id, in: name) }
    func rows(_ query: ObjectQuery) throws -> [ObjectRow] {
        var query = query
        query.replySize = min(query.replySize, largestReply)
        return try base.rows(query)
    }
    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        try base.texts(field, of: query)
    }
    func count(_ query: ObjectQuery) throws -> Int { try base.count(query) }
    func explain(_ query: ObjectQuery, counting: Bool) throws -> QueryExplanation? {
        try base.explain(query, counting: counting)
    }
    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool {
        try base.isRelated(owner, key, to: members)
    }
    func membersOfRelations(among objects: Set<ObjectID>, in name: ClassName) throws -> Set<ObjectID> {
        try base.membersOfRelations(among: objects, in: name)
    }
    func memberships(_ key: String, of name: ClassName, after last: Membership?, limit: Int) throws -> [Membership] {
        try base.memberships(key, of: name, after: last, limit: limit)
    }
    var budget: QueryBudget? { base.budget }
    var callerChanges: Int { base.callerChanges }
}
