package import Domain
internal import PCREPatterns
internal import Testing

/// One app with users, their relations and their feeds, on any store.
package struct PeopleApp: Sendable {
    package let store: any ObjectStore
    package let guest: Caller
    package let master: Caller
    package let objects: ObjectService
    package let friendships: FriendshipService
    package let feeds: FeedService
    package let queue: PeopleQueue
    package let clock = MovedClock()

    package init(_ store: any ObjectStore, _ limits: PeopleLimits = PeopleLimits()) async throws {
        self.store = store
        guest = try Samples.guest()
        master = Caller(app: guest.app, isMaster: true)
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accountDependencies: AccountDependencies(
                settings: AccountSettings(maxSignUps: 0),
                changes: store.changes,
                hasher: PlainHasher()
            ),
            people: limits,
            clock: { [clock] in clock.now }
        )
        objects = ObjectService(store: store, settings: settings)
        friendships = FriendshipService(store: store, settings: settings, objects: objects)
        feeds = FeedService(store: store, settings: settings, objects: objects, engine: PCREEngine())
        queue = PeopleQueue(app: guest.app, store: store, settings: settings, objects: objects, engine: PCREEngine())
        try await objects.prepare()
    }

    /// Signs a user up; returns it as a caller.
    package func user(_ name: String) async throws -> Caller {
        let change = try ObjectChange(json(#"{"username":"\#(name)","password":"p4ss"}"#), allowsPaths: false)
        let reply = try await objects.perform(ObjectCommand(.user, .create(change, returnsObject: false)), as: guest)
        let id = try #require(reply.created?.id)
        let session = try await store.read { reader in
            let own = Condition.field(FieldPath(field: "user"), .equals(Pointer(.user, id).json))
            return try reader.find(ObjectQuery(.session, where: own, page: .first)).first?.id
        }
        return Caller(app: guest.app, user: Caller.User(id: id, session: try #require(session)))
    }

    package func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "body")
    }

    /// Creates an object; returns its id.
    @discardableResult
    package func create(_ text: String, in name: ClassName, as caller: Caller) async throws -> ObjectReply {
        let change = try ObjectChange(json(text), allowsPaths: false)
        return try await objects.perform(ObjectCommand(name, .create(change, returnsObject: false)), as: caller)
    }

    package func delete(_ id: ObjectID, in name: ClassName, as caller: Caller) async throws {
        _ = try await objects.perform(ObjectCommand(name, .delete([id], where: nil)), as: caller)
    }

    /// All objects of a class, as stored.
    package func rows(of name: ClassName) async throws -> [StoredObject] {
        try await store.read { try $0.find(ObjectQuery(name, page: .all)) }
    }

    package func count(of name: ClassName) async throws -> Int {
        try await store.read { try $0.count(.always, in: name) }
    }

    // MARK: Relations

    package func follow(_ followee: Caller, by user: Caller, _ attributes: String = "{}") async throws {
        try await friendships.follow(followee.reference, by: .caller, attributes: try json(attributes), as: user)
    }

    /// The other users in a list, as a caller sees it.
    package func list(
        _ list: FriendshipService.List,
        of user: Caller,
        as caller: Caller
    ) async throws -> Set<ObjectID> {
        let search = ObjectCommand.Search(page: try Page())
        let reply = try await friendships.list(list, of: user.reference, search, view: .plain, as: caller)
        let field = list == .followers ? "follower" : "followee"
        let objects = reply.listing?.objects ?? []
        return Set(try objects.compactMap { try $0.members[field].flatMap(Pointer.init(stored:))?.id })
    }

    package func request(_ friend: Caller, by user: Caller, _ attributes: String = "null") async throws -> ObjectID {
        let body: [String: JSONValue] = ["friend": friend.pointer, "friendship": try json(attributes)]
        return try #require(try await friendships.request(body, as: user).created?.id)
    }

    // MARK: Feeds

    /// Publishes a status with a message for followers or, with a receiver, for one user.
    @discardableResult
    package func publish(
        _ message: String,
        as user: Caller,
        to receiver: Caller? = nil,
        type: String? = nil
    ) async throws -> ObjectID {
        let query: JSONValue =
            if let receiver {
                .object(["className": "_User", "where": .object(["objectId": .string(receiver.id.description)])])
            } else {
                .object(["className": "_Follower", "keys": "follower", "where": .object(["user": user.pointer])])
            }
        var body: [String: JSONValue] = [
            "query": query, "data": .object(["message": .string(message), "source": user.pointer]),
        ]
        body["inboxType"] = (type ?? (receiver == nil ? nil : "private")).map(JSONValue.string)
        return try #require(try await feeds.publish(body, as: user).created?.id)
    }

    /// The numbers and messages of a page of an inbox: `2 hello`.
    package func inbox(_ search: InboxSearch = InboxSearch(), as user: Caller) async throws -> [String] {
        try await feeds.inbox(search, view: .plain, as: user).statuses.map { status in
            let members = try status.members
            return "\(members["messageId"]?.integerValue ?? 0) \(members["message"]?.stringValue ?? "")"
        }
    }

    package func counts(_ type: String? = nil, as user: Caller) async throws -> InboxCounts {
        try await feeds.counts(owner: nil, type: type.map(JSONValue.string), as: user)
    }

    /// Does all work of the queue that is due.
    package func drain() async throws {
        while try await queue.step() != nil {}
    }
}

extension Caller {
    /// The id of the user.
    package var id: ObjectID { user?.id ?? ObjectIDGenerator().next() }

    package var pointer: JSONValue { Pointer(.user, id).json }

    package var reference: UserReference { .id(id) }
}
