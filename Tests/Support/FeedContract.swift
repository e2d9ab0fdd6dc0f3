package import Domain
internal import Testing

/// Statuses and inboxes on every ``ObjectStore``.
package enum FeedContract {
    package static let rules: [ContractRule<any ObjectStore>] = inboxes + rights + delivery + deletions

    private static let inboxes: [ContractRule<any ObjectStore>] = [
        ContractRule("a status is numbered in the inboxes of followers and of its author, the newest first") { store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            try await app.follow(users[0], by: users[1])
            try await app.publish("one", as: users[0])
            try await app.publish("two", as: users[0])
            for user in users.prefix(2) { #expect(try await app.inbox(as: user) == ["2 two", "1 one"]) }
            #expect(try await app.inbox(as: users[2]) == [])
            #expect(try await app.inbox(InboxSearch(isAscending: true), as: users[1]) == ["1 one", "2 two"])
        },
        ContractRule("sinceId is exclusive and maxId inclusive, and end tells that nothing is beyond the page") {
            store in
            let app = try await PeopleApp(store)
            let ann = try await app.user("ann")
            #expect(try await app.feeds.inbox(InboxSearch(), view: .plain, as: ann).isEnd == false)
            for number in 1...5 { try await app.publish("\(number)", as: ann) }
            let cases: [(since: Int64, max: Int64, limit: Int, ascending: Bool, found: [Int], isEnd: Bool)] = [
                (0, 0, 100, false, [5, 4, 3, 2, 1], true), (0, 0, 2, false, [5, 4], false),
                (0, 3, 2, false, [3, 2], false), (0, 2, 2, false, [2, 1], true), (3, 0, 100, false, [5, 4], true),
                (1, 4, 100, false, [4, 3, 2], true), (5, 0, 100, false, [], true), (0, 0, 2, true, [1, 2], false),
                (3, 0, 2, true, [4, 5], true), (0, 0, 0, false, [], false), (-7, -1, 5, false, [5, 4, 3, 2, 1], true),
            ]
            for (since, max, limit, ascending, found, isEnd) in cases {
                let search = InboxSearch(
                    since: since,
                    max: max,
                    isAscending: ascending,
                    page: try Page(limit: limit),
                    counts: true
                )
                #expect(try await app.inbox(search, as: ann) == found.map { "\($0) \($0)" })
                let reply = try await app.feeds.inbox(search, view: .plain, as: ann)
                #expect(reply.isEnd == isEnd, "\(search)")
                #expect(reply.count == 5)
            }
        },
        ContractRule("a condition and a page filter statuses, however many others are between them") { store in
            let app = try await PeopleApp(store)
            let ann = try await app.user("ann")
            for number in 1...120 { try await app.publish(number % 40 == 0 ? "rare" : "other", as: ann) }
            let isRare = Condition.field(FieldPath(field: "message"), .equals("rare"))
            let all = try await app.inbox(InboxSearch(condition: isRare), as: ann)
            #expect(all == ["120 rare", "80 rare", "40 rare"])
            let second = InboxSearch(condition: isRare, page: try Page(limit: 1, skip: 1))
            #expect(try await app.inbox(second, as: ann) == ["80 rare"])
            #expect(try await app.inbox(InboxSearch(page: try Page(limit: 1000)), as: ann).count == 100)
        },
        ContractRule("statuses are unread until the owner resets the count, in each inbox by itself") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            #expect(try await app.counts(as: bob) == InboxCounts(total: 0, unread: 0))
            try await app.feeds.resetUnread(owner: nil, type: nil, as: bob)
            try await app.follow(ann, by: bob)
            try await app.publish("one", as: ann)
            try await app.publish("secret", as: ann, to: bob)
            try await app.publish("book", as: ann, type: "book")
            for type in [nil, "private", "book"] {
                #expect(try await app.counts(type, as: bob) == InboxCounts(total: 1, unread: 1))
            }
            // To read does not reset.
            _ = try await app.inbox(as: bob)
            try await app.feeds.resetUnread(owner: nil, type: "default", as: bob)
            #expect(try await app.counts(as: bob) == InboxCounts(total: 1, unread: 0))
            #expect(try await app.counts("private", as: bob) == InboxCounts(total: 1, unread: 1))
            try await app.publish("two", as: ann)
            #expect(try await app.counts(as: bob) == InboxCounts(total: 2, unread: 1))
        },
        ContractRule("an inbox holds its newest statuses, and a user a number of inboxes") { store in
            let app = try await PeopleApp(store, PeopleLimits(inboxSize: 3, inboxTypes: 2))
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            for number in 1...5 { try await app.publish("\(number)", as: ann, to: bob) }
            #expect(try await app.counts("private", as: bob).total == 3)
            let inbox = InboxSearch(type: "private")
            #expect(try await app.inbox(inbox, as: bob) == ["5 5", "4 4", "3 3"])
            for type in ["a", "b", "c", "default"] { try await app.publish(type, as: ann, to: bob, type: type) }
            var totals: [Int] = []
            for type in ["a", "b", "c", "default"] { totals.append(try await app.counts(type, as: bob).total) }
            #expect(totals == [1, 1, 0, 1])
        },
    ]

    private static let rights: [ContractRule<any ObjectStore>] = [
        ContractRule("an inbox is read, counted, reset and changed by its owner and the master key only") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.publish("one", as: ann, to: bob)
            let owner = bob.pointer
            for (caller, code) in [(ann, ServiceError.Code.forbidden), (app.guest, .forbidden)] {
                let search = InboxSearch(owner: owner, type: "private")
                await expectFailure(code) { try await app.inbox(search, as: caller) }
                await expectFailure(code) { try await app.feeds.counts(owner: owner, type: "private", as: caller) }
                await expectFailure(code) { try await app.feeds.resetUnread(owner: owner, type: "private", as: caller) }
                await expectFailure(code) { try await app.feeds.remove(1, owner: owner, type: "private", as: caller) }
            }
            await expectFailure(.sessionRequired) { try await app.inbox(as: app.guest) }
            let text = #"{"__type":"Pointer", "className":"_User","objectId":"\#(bob.id)"}"#
            #expect(try await app.inbox(InboxSearch(owner: .string(text)), as: bob) == [])
            #expect(try await app.inbox(InboxSearch(owner: owner, type: "private"), as: app.master) == ["1 one"])
            await expectFailure(.malformedPointer) { try await app.inbox(InboxSearch(owner: .bool(true)), as: bob) }
        },
        ContractRule("a private status is read by its author and its receivers, others by everyone") { store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            let secret = try await app.publish("secret", as: users[0], to: users[1])
            let open = try await app.publish("open", as: users[0])
            for (user, isAllowed) in zip(users, [true, true, false]) {
                if isAllowed {
                    _ = try await app.feeds.status(secret, view: .plain, as: user)
                } else {
                    await expectFailure(.forbidden) { try await app.feeds.status(secret, view: .plain, as: user) }
                }
                _ = try await app.feeds.status(open, view: .plain, as: user)
            }
            let all = ObjectCommand(.status, .find(ObjectCommand.Search(page: try Page())))
            let shown = try await app.objects.perform(all, as: app.guest).listing?.objects.count
            #expect(shown == 1)
            await expectFailure(.objectNotFound) {
                try await app.feeds.status(ObjectIDGenerator().next(), view: .plain, as: users[0])
            }
        },
        ContractRule("only a user publishes, and only as itself") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            func body(_ source: JSONValue, inside: Bool = true) -> [String: JSONValue] {
                let query: JSONValue = .object(["className": "_User", "where": .object(["objectId": "x"])])
                return inside
                    ? ["query": query, "data": .object(["source": source])] : ["query": query, "source": source]
            }
            await expectFailure(.sessionRequired) { try await app.feeds.publish(body(ann.pointer), as: app.guest) }
            await expectFailure(.sessionRequired) { try await app.feeds.publish(body(.null), as: app.master) }
            for inside in [true, false] {
                await expectFailure(.forbidden) {
                    try await app.feeds.publish(body(bob.pointer, inside: inside), as: ann)
                }
                _ = try await app.feeds.publish(body(ann.pointer, inside: inside), as: ann)
                _ = try await app.feeds.publish(body(ann.pointer, inside: inside), as: app.master)
            }
            _ = try await app.feeds.publish(body(.null), as: ann)
            let missing = Pointer(.user, ObjectIDGenerator().next()).json
            await expectFailure(.userNotFound) { try await app.feeds.publish(body(missing), as: app.master) }
            #expect(try await app.rows(of: .status).allSatisfy { $0.fields["source"] == ann.pointer })
        },
        ContractRule("a status goes to users whom its author can query or names, and not to those who block it") {
            store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            // Queries of users are closed at first: a user finds only itself.
            let everyone: [String: JSONValue] = ["query": .object(["className": "_User"]), "inboxType": "all"]
            _ = try await app.feeds.publish(everyone, as: users[0])
            #expect(try await app.rows(of: .inbox).map(\.fields["box"]) == [.string("\(users[0].id)/all")])
            try await app.friendships.block(users[0].reference, as: users[1])
            for user in users.dropFirst() { try await app.publish("hello", as: users[0], to: user) }
            let inbox = InboxSearch(type: "private")
            #expect(try await app.inbox(inbox, as: users[1]) == [])
            #expect(try await app.inbox(inbox, as: users[2]) == ["1 hello"])
            // Relations of others are not visible to the author.
            try await app.follow(users[1], by: users[2])
            let foreign: [String: JSONValue] = [
                "query": .object([
                    "className": "_Follower", "keys": "follower", "where": .object(["user": users[1].pointer]),
                ])
            ]
            _ = try await app.feeds.publish(foreign, as: users[0])
            #expect(try await app.inbox(as: users[2]) == [])
        },
        ContractRule("bad requests are refused, and nothing is stored") { store in
            let app = try await PeopleApp(store)
            let ann = try await app.user("ann")
            let bodies: [(String, ServiceError.Code)] = [
                (#"{}"#, .badRequest), (#"{"query":1}"#, .badRequest), (#"{"query":{}}"#, .invalidClassName),
                (#"{"query":{"className":"Todo"}}"#, .badRequest),
                (#"{"query":{"className":"Todo","keys":"a b"}}"#, .objectNotFound),
                (#"{"query":{"className":"Todo","keys":"$a"}}"#, .badRequest),
                (#"{"query":{"className":"_Follower","keys":"follower","where":"{"}}"#, .malformedJSON),
                (#"{"query":{"className":"_Follower","keys":"follower","where":{"$x":1}}}"#, .malformedJSON),
                (#"{"query":{"className":"_Session","keys":"user"}}"#, .forbidden),
                (#"{"query":{"className":"_Follower","keys":"follower"},"inboxType":"a/b"}"#, .badRequest),
                (#"{"query":{"className":"_Follower","keys":"follower"},"inboxType":7}"#, .badRequest),
                (#"{"query":{"className":"_Follower","keys":"follower"},"data":[]}"#, .malformedJSON),
                (#"{"query":{"className":"_Follower","keys":"follower"},"data":{"objectId":"a"}}"#, .invalidKey),
            ]
            for (body, code) in bodies {
                let members = try #require(try app.json(body).objectValue)
                await expectFailure(code) { try await app.feeds.publish(members, as: ann) }
            }
            #expect(try await app.count(of: .status) + app.count(of: .inbox) + app.queue.waiting() == 0)
        },
        ContractRule("a user publishes a number of statuses in an hour, and refused ones do not count") { store in
            let app = try await PeopleApp(store, PeopleLimits(statuses: 2))
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let refused: [String: JSONValue] = ["query": .object(["className": "Todo", "keys": "user"])]
            await expectFailure(.objectNotFound) { try await app.feeds.publish(refused, as: ann) }
            for _ in 0..<2 { try await app.publish("hello", as: ann) }
            await expectFailure(.overloaded) { try await app.publish("hello", as: ann) }
            try await app.publish("hello", as: bob)
        },
    ]
}

extension PeopleApp {
    /// A user with followers who have no sessions.
    func authorWithFollowers(_ count: Int) async throws -> (Caller, [ObjectID]) {
        let author = try await user("author")
        let generator = ObjectIDGenerator()
        let ids = (0..<count).map { _ in generator.next() }
        let now = clock.now
        let shared = AccessControlList(stored: [author.id.description: .object(["read": .bool(true)])])
        try await store.write { writer in
            for (number, id) in ids.enumerated() {
                let user = StoredObject(
                    id: id,
                    createdAt: now,
                    updatedAt: now,
                    fields: ["username": .string("follower\(number)")]
                )
                try writer.insert(user, into: .user)
                let row = StoredObject(
                    id: generator.next(),
                    createdAt: now,
                    updatedAt: now,
                    acl: shared,
                    fields: ["user": author.pointer, "follower": Pointer(.user, id).json]
                )
                try writer.insert(row, into: .follower)
            }
        }
        return (author, ids)
    }
}
