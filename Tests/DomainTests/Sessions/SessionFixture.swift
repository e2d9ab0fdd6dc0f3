import Domain
import Support
import Testing

/// Users of one app in memory, and what tests do with them in one line.
struct SessionFixture {
    let store: MemoryObjectStore
    let hasher = PlainHasher()
    let guest: Caller
    let master: Caller
    let objects: ObjectService
    let accounts: AccountService
    let sessions: SessionService
    let dependencies: AccountDependencies
    var cache: SessionCache { dependencies.sessionCache }

    init(_ accountSettings: AccountSettings = AccountSettings(), store: MemoryObjectStore = MemoryObjectStore()) throws
    {
        try self.init(accountSettings, on: store, through: store)
    }

    /// A server whose services reach the objects in a way of its own.
    init(
        _ accountSettings: AccountSettings = AccountSettings(),
        on base: MemoryObjectStore,
        through store: any ObjectStore,
        verifier: (any AuthDataVerifier)? = nil,
        limits: RequestLimits = RequestLimits()
    ) throws {
        self.store = base
        let app = try #require(AppID("app"))
        guest = Caller(app: app)
        master = Caller(app: app, isMaster: true)
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accountDependencies: AccountDependencies(
                settings: accountSettings,
                changes: store.changes,
                hasher: hasher,
                verifier: verifier,
                requestLimits: limits
            )
        )
        objects = ObjectService(store: store, settings: settings)
        accounts = AccountService(store: store, settings: settings)
        sessions = SessionService(store: store, dependencies: settings.accountDependencies)
        dependencies = settings.accountDependencies
    }

    /// Makes an object and returns what the reply says.
    @discardableResult
    func create(_ text: String, in name: ClassName, as caller: Caller? = nil) async throws -> [String: JSONValue] {
        let change = try ObjectChange(json(text), allowsPaths: false)
        let command = ObjectCommand(name, .create(change, returnsObject: false))
        return try await objects.perform(command, as: caller ?? guest).members
    }

    @discardableResult
    func update(
        _ id: ObjectID,
        _ text: String,
        in name: ClassName,
        as caller: Caller
    ) async throws -> [String: JSONValue] {
        let change = try ObjectChange(json(text), allowsPaths: true)
        let command = ObjectCommand(name, .update(id, change, where: nil, returnsObject: true))
        return try await objects.perform(command, as: caller).members
    }

    /// Sets permissions of a class.
    func permit(_ text: String, of name: ClassName) async throws {
        let service = PermissionService(store: store, limits: ObjectLimits())
        _ = try await service.change(of: name, by: try PermissionChange(json(text)), as: master)
    }

    /// Signs a user up; gives its id and token.
    func signUp(_ name: String) async throws -> (id: ObjectID, token: String) {
        let user = try await create(#"{"username":"\#(name)","password":"p4ss"}"#, in: .user)
        return (try id(of: user), try #require(user["sessionToken"]?.stringValue))
    }

    func logIn(_ text: String) async throws -> [String: JSONValue] {
        let body = try #require(try json(text).objectValue)
        return try await accounts.logIn(body, as: guest).members
    }

    /// The caller who shows a token.
    func caller(_ token: String) async throws -> Caller {
        try await sessions.caller(guest, showing: token)
    }

    /// Makes a role of users and roles.
    func role(_ name: String, users: [ObjectID] = [], roles: [ObjectID] = []) async throws -> ObjectID {
        func relation(_ ids: [ObjectID], _ target: ClassName) -> String {
            let pointers = ids.map { String(decoding: Pointer(target, $0).json.encoded(), as: UTF8.self) }
            return #"{"__op":"AddRelation","objects":[\#(pointers.joined(separator: ","))]}"#
        }
        var fields = [#""name":"\#(name)""#, #""ACL":{}"#]
        if !users.isEmpty { fields.append(#""users":\#(relation(users, .user))"#) }
        if !roles.isEmpty { fields.append(#""roles":\#(relation(roles, .role))"#) }
        return try id(of: try await create("{\(fields.joined(separator: ","))}", in: .role))
    }

    func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "body")
    }

    /// The id in a reply.
    func id(of object: [String: JSONValue]) throws -> ObjectID {
        try #require(object["objectId"]?.stringValue.flatMap(ObjectID.init))
    }
}
