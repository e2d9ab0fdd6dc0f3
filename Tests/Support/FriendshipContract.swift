package import Domain
internal import Testing

/// Followers, friends and block lists on every ``ObjectStore``.
package enum FriendshipContract {
    package static let rules: [ContractRule<any ObjectStore>] = following + friends + blocking + ends

    private static let following: [ContractRule<any ObjectStore>] = [
        ContractRule("following makes an object of each side, once") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.follow(bob, by: ann, #"{"group":1}"#)
            try await app.follow(bob, by: ann, #"{"score":2}"#)
            let followee = try await app.rows(of: .followee)
            var expected: [String: JSONValue] = ["group": .integer(1), "score": .integer(2)]
            (expected["user"], expected["followee"]) = (ann.pointer, bob.pointer)
            #expect(followee.map(\.fields) == [expected])
            let follower = try await app.rows(of: .follower)
            (expected["user"], expected["follower"], expected["followee"]) = (bob.pointer, ann.pointer, nil)
            #expect(follower.map(\.fields) == [expected])
            #expect(try await app.list(.followees, of: ann, as: ann) == [bob.id])
            #expect(try await app.list(.followers, of: bob, as: bob) == [ann.id])
            #expect(try await app.list(.followers, of: ann, as: ann) == [])
        },
        ContractRule("only both users see a relation, unless its ACL or the default of the class says more") { store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            try await app.follow(users[1], by: users[0])
            #expect(try await app.list(.followees, of: users[0], as: users[1]) == [users[1].id])
            #expect(try await app.list(.followees, of: users[0], as: users[2]) == [])
            #expect(try await app.list(.followees, of: users[0], as: app.guest) == [])
            #expect(try await app.list(.followees, of: users[0], as: app.master) == [users[1].id])
            try await app.follow(users[2], by: users[0], #"{"ACL":{"*":{"read":true}}}"#)
            #expect(try await app.list(.followees, of: users[0], as: app.guest) == [users[2].id])
        },
        ContractRule("what a relation cannot be is refused, and nothing is stored") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            await expectFailure(.badRequest) { try await app.follow(ann, by: ann) }
            await expectFailure(.sessionRequired) { try await app.follow(bob, by: app.guest) }
            await expectFailure(.sessionRequired) {
                try await app.friendships.follow(bob.reference, by: bob.reference, attributes: .null, as: ann)
            }
            await expectFailure(.userNotFound) {
                try await app.friendships.follow(try UserReference("missing"), by: .caller, attributes: .null, as: ann)
            }
            for field in ["user", "followee", "friendStatus"] {
                await expectFailure(.readOnlyField) { try await app.follow(bob, by: ann, #"{"\#(field)":true}"#) }
            }
            await expectFailure(.readOnlyField) { try await app.follow(bob, by: ann, #"{"user":null}"#) }
            await expectFailure(.invalidKey) { try await app.follow(bob, by: ann, #"{"objectId":"a"}"#) }
            let large = #"{"a":"\#(String(repeating: "x", count: 1 << 20))"}"#
            await expectFailure(.objectTooLarge) { try await app.follow(bob, by: ann, large) }
            let many = (0..<400).map { #""a\#($0)":1"# }.joined(separator: ",")
            await expectFailure(.badRequest) { try await app.follow(bob, by: ann, "{\(many)}") }
            #expect(try await app.count(of: .followee) + app.count(of: .follower) == 0)
        },
        ContractRule("clients do not write relations directly, and imports do") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            for name in [ClassName.follower, .followee, .friendshipRequest, .blocklist, .status] {
                await expectFailure(.forbidden) { try await app.create(#"{"a":1}"#, in: name, as: ann) }
            }
            let users = #"{"user":\#(ann.pointer.text),"followee":\#(bob.pointer.text),"friendStatus":true}"#
            try await app.create(users, in: .followee, as: app.master)
            #expect(try await app.list(.followees, of: ann, as: ann) == [bob.id])
        },
        ContractRule("the number of followees has a limit, and a followee more than once counts once") { store in
            let app = try await PeopleApp(store, PeopleLimits(followees: 2))
            let ann = try await app.user("ann")
            var others: [Caller] = []
            for name in ["b", "c", "d"] { others.append(try await app.user(name)) }
            for other in others.prefix(2) { try await app.follow(other, by: ann) }
            try await app.follow(others[1], by: ann)
            await expectFailure(.badRequest) { try await app.follow(others[2], by: ann) }
            try await app.friendships.unfollow(others[0].reference, by: .caller, as: ann)
            try await app.follow(others[2], by: ann)
            // Nobody decides how many follow a user.
            for other in others { try await app.follow(ann, by: other) }
        },
        ContractRule("attributes change on both sides; without a relation there is nothing to change") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.follow(bob, by: ann, #"{"group":1}"#)
            for body in [#"{"friendship":{"group":2}}"#, #"{"group":2,"score":{"__op":"Increment","amount":5}}"#] {
                let body = try app.json(body)
                let reply = try await app.friendships.update(bob.reference, of: .caller, body, as: ann)
                #expect(try reply.members["objectId"] == .string(try await app.rows(of: .followee)[0].id.description))
            }
            for name in [ClassName.follower, .followee] {
                let fields = try await app.rows(of: name)[0].fields
                #expect(fields["group"] == .integer(2))
                #expect(fields["score"] == .integer(5))
            }
            let body = try app.json(#"{"group":3}"#)
            await expectFailure(.friendshipNotFound) {
                try await app.friendships.update(ann.reference, of: .caller, body, as: bob)
            }
            await expectFailure(.sessionRequired) {
                try await app.friendships.update(bob.reference, of: ann.reference, body, as: bob)
            }
        },
    ]

    private static let friends: [ContractRule<any ObjectStore>] = [
        ContractRule("an accepted request makes friends of both, each with attributes of its own") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let request = try await app.request(bob, by: ann, #"{"group":"sport"}"#)
            var followees = try await app.rows(of: .followee)
            #expect(followees.map(\.fields["friendStatus"]) == [.bool(false)])
            #expect(followees.map(\.fields["group"]) == ["sport"])
            #expect(try await app.friends(of: ann) == [])
            let answer = try app.json(#"{"friendship":{"group":"music"}}"#)
            _ = try await app.friendships.accept(request, answer, as: bob)
            #expect(try await app.friends(of: ann) == [bob.id])
            #expect(try await app.friends(of: bob) == [ann.id])
            followees = try await app.rows(of: .followee)
            #expect(followees.map(\.fields["group"]) == ["sport", "music"])
            #expect(try await app.rows(of: .friendshipRequest).map(\.fields["status"]) == ["accepted"])
            // Friends follow each other only if they say so.
            #expect(try await app.count(of: .follower) == 0)
        },
        ContractRule("a request is answered by the user to whom it is, and by the master key") { store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            let request = try await app.request(users[1], by: users[0])
            for caller in [users[0], users[2], app.guest] {
                await expectFailure(.forbidden) { try await app.friendships.accept(request, .null, as: caller) }
                await expectFailure(.forbidden) { try await app.friendships.decline(request, as: caller) }
            }
            let none = ObjectIDGenerator().next()
            await expectFailure(.friendshipNotFound) { try await app.friendships.accept(none, .null, as: users[1]) }
            await expectFailure(.friendshipNotFound) { try await app.friendships.decline(none, as: users[1]) }
            _ = try await app.friendships.accept(request, .null, as: app.master)
            #expect(try await app.friends(of: users[0]) == [users[1].id])
        },
        ContractRule("a declined request stays declined until its receiver accepts it") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let request = try await app.request(bob, by: ann)
            await expectFailure(.badRequest) { try await app.request(bob, by: ann) }
            _ = try await app.friendships.decline(request, as: bob)
            await expectFailure(.badRequest) { try await app.request(bob, by: ann) }
            #expect(try await app.friends(of: ann) == [])
            _ = try await app.friendships.accept(request, .null, as: bob)
            #expect(try await app.friends(of: ann) == [bob.id])
            await expectFailure(.badRequest) { try await app.friendships.decline(request, as: bob) }
            await expectFailure(.badRequest) { try await app.request(bob, by: ann) }
        },
        ContractRule("a friend who was deleted can be asked again, and stays a friend of the other side") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let request = try await app.request(bob, by: ann)
            _ = try await app.friendships.accept(request, .null, as: bob)
            try await app.friendships.unfollow(bob.reference, by: .caller, as: ann)
            #expect(try await app.friends(of: ann) == [])
            #expect(try await app.friends(of: bob) == [ann.id])
            #expect(try await app.request(bob, by: ann) == request)
            _ = try await app.friendships.accept(request, .null, as: bob)
            #expect(try await app.friends(of: ann) == [bob.id])
        },
        ContractRule("a request that was accepted makes no friends a second time") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let request = try await app.request(bob, by: ann)
            let first = try await app.friendships.accept(request, .null, as: bob)
            try await app.friendships.unfollow(bob.reference, by: .caller, as: ann)
            // As a client repeats a call whose response was lost.
            let second = try await app.friendships.accept(request, .null, as: bob)
            #expect(try second.members == first.members)
            #expect(try await app.friends(of: ann) == [])
        },
        ContractRule("an acceptance uses up the request of the other direction") { store in
            let app = try await PeopleApp(store)
            for isDeclined in [false, true] {
                let ann = try await app.user("ann\(isDeclined)")
                let bob = try await app.user("bob\(isDeclined)")
                let reverse = try await app.request(ann, by: bob)
                if isDeclined { _ = try await app.friendships.decline(reverse, as: ann) }
                let request = try await app.request(bob, by: ann)
                _ = try await app.friendships.accept(request, .null, as: bob)
                let known = try await app.rows(of: .friendshipRequest).first { $0.id == reverse }
                #expect(known?.fields["status"] == "accepted")
                // The one who ended the friendship does not get it back.
                try await app.friendships.unfollow(ann.reference, by: .caller, as: bob)
                _ = try await app.friendships.accept(reverse, .null, as: ann)
                #expect(try await app.friends(of: bob) == [])
            }
        },
        ContractRule("friends request nothing of each other, and after the end of a friendship both can") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            _ = try await app.friendships.accept(try await app.request(bob, by: ann), .null, as: bob)
            await expectFailure(.badRequest) { try await app.request(bob, by: ann) }
            await expectFailure(.badRequest) { try await app.request(ann, by: bob) }
            try await app.friendships.unfollow(bob.reference, by: .caller, as: ann)
            _ = try await app.friendships.accept(try await app.request(ann, by: bob), .null, as: ann)
            #expect(try await app.friends(of: ann) == [bob.id])
        },
        ContractRule("a request is changed by its answer only, so that no ACL hides it from its receiver") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let request = try await app.request(bob, by: ann)
            for body in [#"{"ACL":{"\#(ann.id)":{"read":true,"write":true}}}"#, #"{"note":1}"#] {
                let change = try ObjectChange(app.json(body), allowsPaths: true)
                let update = ObjectCommand(
                    .friendshipRequest,
                    .update(request, change, where: nil, returnsObject: false)
                )
                for caller in [ann, bob] {
                    await expectFailure(.forbidden) { try await app.objects.perform(update, as: caller) }
                }
                _ = try await app.objects.perform(update, as: app.master)
            }
        },
        ContractRule("requests of others, to oneself, to a missing user and beyond the limit are refused") { store in
            let app = try await PeopleApp(store, PeopleLimits(requests: 1))
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            await expectFailure(.badRequest) { try await app.request(users[0], by: users[0]) }
            await expectFailure(.sessionRequired) { try await app.request(users[1], by: app.guest) }
            await expectFailure(.badRequest) { try await app.friendships.request([:], as: users[0]) }
            await expectFailure(.malformedPointer) {
                try await app.friendships.request(["friend": .bool(true)], as: users[0])
            }
            let forged: [String: JSONValue] = ["user": users[1].pointer, "friend": users[2].pointer]
            await expectFailure(.sessionRequired) { try await app.friendships.request(forged, as: users[0]) }
            let missing = Pointer(.user, ObjectIDGenerator().next()).json
            await expectFailure(.userNotFound) { try await app.friendships.request(["friend": missing], as: users[0]) }
            let first = try await app.request(users[1], by: users[0])
            await expectFailure(.badRequest) { try await app.request(users[2], by: users[0]) }
            _ = try await app.friendships.decline(first, as: users[1])
            _ = try await app.request(users[2], by: users[0])
        },
    ]

    private static let blocking: [ContractRule<any ObjectStore>] = [
        ContractRule("a blocked user can neither follow nor ask, in both directions") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let request = try await app.request(bob, by: ann)
            for _ in 0..<2 { try await app.friendships.block(ann.reference, as: bob) }
            #expect(try await app.count(of: .blocklist) == 1)
            for (user, other) in [(ann, bob), (bob, ann)] {
                await expectFailure(.forbidden) { try await app.follow(other, by: user) }
            }
            await expectFailure(.forbidden) { try await app.request(ann, by: bob) }
            await expectFailure(.forbidden) { try await app.friendships.accept(request, .null, as: bob) }
            try await app.friendships.unblock(ann.reference, as: bob)
            try await app.friendships.unblock(ann.reference, as: bob)
            try await app.follow(bob, by: ann)
        },
        ContractRule("blocking hides a friend from the list of friends, until it ends") { store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            for other in users.dropFirst() {
                _ = try await app.friendships.accept(try await app.request(users[0], by: other), .null, as: users[0])
            }
            try await app.friendships.block(users[1].reference, as: users[0])
            #expect(try await app.friends(of: users[0]) == [users[2].id])
            #expect(try await app.friends(of: users[1]) == [users[0].id])
            try await app.friendships.unblock(users[1].reference, as: users[0])
            #expect(try await app.friends(of: users[0]) == [users[1].id, users[2].id])
        },
        ContractRule("only the user sees whom it blocks, and what cannot be blocked is refused") { store in
            let app = try await PeopleApp(store, PeopleLimits(blocked: 1))
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            try await app.friendships.block(users[1].reference, as: users[0])
            #expect(try await app.blocked(by: users[0]) == [users[1].id])
            let all = ObjectCommand(.blocklist, .find(ObjectCommand.Search(page: try Page())))
            #expect(try await app.objects.perform(all, as: users[1]).listing?.objects.isEmpty == true)
            await expectFailure(.badRequest) { try await app.friendships.block(users[0].reference, as: users[0]) }
            await expectFailure(.badRequest) { try await app.friendships.block(users[2].reference, as: users[0]) }
            await expectFailure(.sessionRequired) { try await app.friendships.block(users[0].reference, as: app.guest) }
            await expectFailure(.userNotFound) {
                try await app.friendships.block(try UserReference("missing"), as: users[0])
            }
        },
    ]

    private static let ends: [ContractRule<any ObjectStore>] = [
        ContractRule("the end of a relation, in any way, ends both of its objects") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.follow(bob, by: ann)
            for _ in 0..<2 { try await app.friendships.unfollow(bob.reference, by: .caller, as: ann) }
            #expect(try await app.count(of: .followee) + app.count(of: .follower) == 0)
            for (name, caller) in [(ClassName.followee, ann), (.follower, bob)] {
                try await app.follow(bob, by: ann)
                try await app.delete(try await app.rows(of: name)[0].id, in: name, as: caller)
                #expect(try await app.count(of: .followee) + app.count(of: .follower) == 0)
            }
            await expectFailure(.sessionRequired) {
                try await app.friendships.unfollow(bob.reference, by: ann.reference, as: bob)
            }
        },
        ContractRule("a removed follower stays a friend") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            _ = try await app.friendships.accept(try await app.request(bob, by: ann), .null, as: bob)
            try await app.follow(bob, by: ann)
            try await app.delete(try await app.rows(of: .follower)[0].id, in: .follower, as: bob)
            #expect(try await app.friends(of: ann) == [bob.id])
        },
        ContractRule("a deleted user leaves no relation, and the relations of others stay") { store in
            let app = try await PeopleApp(store)
            let users = [try await app.user("ann"), try await app.user("bob"), try await app.user("eve")]
            for (user, other) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
                try await app.follow(users[other], by: users[user])
            }
            _ = try await app.friendships.accept(try await app.request(users[0], by: users[1]), .null, as: users[0])
            _ = try await app.request(users[2], by: users[0])
            try await app.friendships.block(users[2].reference, as: users[0])
            try await app.delete(users[0].id, in: .user, as: users[0])
            try await app.drain()
            #expect(try await app.queue.waiting() == 0)
            for name in [ClassName.followee, .follower] { #expect(try await app.count(of: name) == 2) }
            for name in [ClassName.friendshipRequest, .blocklist] { #expect(try await app.count(of: name) == 0) }
            #expect(try await app.list(.followees, of: users[1], as: users[1]) == [users[2].id])
        },
    ]
}

extension PeopleApp {
    fileprivate func friends(of user: Caller) async throws -> Set<ObjectID> {
        let search = ObjectCommand.Search(page: try Page())
        let reply = try await friendships.friends(search, view: .plain, as: user)
        return try reply.pointers(in: "followee")
    }

    fileprivate func blocked(by user: Caller) async throws -> Set<ObjectID> {
        let search = ObjectCommand.Search(page: try Page())
        return try await friendships.blocked(search, view: .plain, as: user).pointers(in: "blockedUser")
    }
}

extension ObjectReply {
    fileprivate func pointers(in field: String) throws -> Set<ObjectID> {
        Set(try listing?.objects.compactMap { try $0.members[field].flatMap(Pointer.init(stored:))?.id } ?? [])
    }
}

extension JSONValue {
    fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
