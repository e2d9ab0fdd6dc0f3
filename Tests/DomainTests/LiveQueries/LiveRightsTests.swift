import Support
import Testing

@testable import Domain

/// Events depend on the rights at the moment of the change.
@Suite struct LiveRightsTests {
    private let fixture: LiveFixture

    init() throws {
        fixture = try LiveFixture()
    }

    /// An object that only a role reads.
    private static let forEditors = #""ACL":{"role:Editors":{"read":true}}"#

    @Test("who joins or leaves a role hears of the objects of the role from then on, or no more")
    func roles() async throws {
        try await fixture.running {
            let ann = try await fixture.user("ann")
            let user = try #require(ann.user).id
            let client = try await fixture.client(as: ann)
            let id = try await fixture.create(#"{"a":1,\#(LiveRightsTests.forEditors)}"#)
            await fixture.live.settle()
            #expect(client.lines == [])
            let role = try await fixture.users.role("Editors", users: [user])
            try await fixture.update(id, #"{"a":2}"#)
            await fixture.live.settle()
            #expect(client.lines == [#"update ["a"] {"a":2}"#])
            let pointer = String(decoding: Pointer(.user, user).json.encoded(), as: UTF8.self)
            let removal = #"{"users":{"__op":"RemoveRelation","objects":[\#(pointer)]}}"#
            try await fixture.update(role, removal, in: .role)
            try await fixture.update(id, #"{"a":3}"#)
            await fixture.live.settle()
            #expect(client.events.count == 1)
        }
    }

    @Test("a closed class is silent, and an opened one is heard again")
    func classPermissions() async throws {
        try await fixture.running {
            let client = try await fixture.client()
            let id = try await fixture.create(#"{"a":1}"#)
            await fixture.live.settle()
            try await fixture.change { $0.permissions[.find] = [.users] }
            try await fixture.update(id, #"{"a":2}"#)
            await fixture.live.settle()
            #expect(client.events.count == 1)
            try await fixture.change { $0.permissions[.find] = [.everyone] }
            try await fixture.update(id, #"{"a":3}"#)
            await fixture.live.settle()
            #expect(client.lines == [#"create {"a":1}"#, #"update ["a"] {"a":3}"#])
        }
    }

    @Test("after the end of its session a subscription acts for a guest")
    func endedSession() async throws {
        try await fixture.running {
            let ann = try await fixture.user("ann")
            let user = try #require(ann.user)
            let client = try await fixture.client(as: ann)
            let own = #""ACL":{"\#(user.id)":{"read":true}}"#
            try await fixture.create(#"{"a":1,\#(own)}"#)
            await fixture.live.settle()
            _ = try await fixture.users.store.write { try $0.delete(user.session, in: .session) }
            try await fixture.create(#"{"a":2,\#(own)}"#)
            try await fixture.create(#"{"a":3}"#)
            await fixture.live.settle()
            #expect(client.lines == [#"create {"a":1}"#, #"create {"a":3}"#])
        }
    }

    @Test("a repeated subscription keeps its id and takes the rights of the newest request")
    func newestRights() async throws {
        try await fixture.running {
            let ann = try await fixture.user("ann")
            let own = #""ACL":{"\#(try #require(ann.user).id)":{"read":true}}"#
            let client = try fixture.connect()
            for (caller, value) in [(fixture.guest, 1), (ann, 2), (fixture.master, 3), (fixture.guest, 4)] {
                try await fixture.subscribe(as: caller)
                try await fixture.create(#"{"a":\#(value),\#(own)}"#)
                await fixture.live.settle()
            }
            #expect(client.lines == [#"create {"a":2}"#, #"create {"a":3}"#])
            #expect(fixture.live.status.subscriptions == 1)
        }
    }

    @Test("a user who ends its only subscription and subscribes again while events are decided remains a user")
    func subscribedAgain() async throws {
        let ann = try await fixture.user("ann")
        let (task, id) = (fixture.task, try await fixture.create(#"{"a":1}"#))
        let query = try await fixture.subscribe(as: ann)
        let registry = fixture.live.registry
        let settings = fixture.users.objects.settings
        let subscription = try #require(registry.withState { $0.subscriptions[query] })
        try await fixture.live.unsubscribe(["id": "page", "query_id": .string(query.description)])
        let decision = try await fixture.store.read { reader in
            let object = try #require(try reader.object(id, in: task))
            let change = Change(.created, id, in: task, after: ObjectState(object))
            var work = LiveWork([try LiveChange(change, at: registry.changesPosition)])
            work.match = LiveWork.Match(
                node: subscription.node,
                before: false,
                after: true,
                subscriptions: [subscription]
            )
            var decider = LiveDecider(reader, registry, settings, foundAt: 0)
            return try decider.decide(work)
        }
        try await fixture.subscribe(as: ann)
        _ = registry.deliver(decision)
        let caller = registry.withState { $0.callers[subscription.caller] }
        #expect(caller?.user != nil)
    }

    @Test("the master key gets events about every object, regardless of its ACL")
    func master() async throws {
        try await fixture.running {
            let client = try await fixture.client(as: fixture.master)
            try await fixture.change { $0.permissions[.find] = [] }
            try await fixture.create(#"{"a":1,"ACL":{}}"#)
            await fixture.live.settle()
            #expect(client.lines == [#"create {"a":1}"#])
        }
    }

    @Test("a hidden field is neither compared nor shown nor named, except with the master key")
    func hiddenFields() async throws {
        try await fixture.running {
            try await fixture.change { schema in
                var field = FieldDefinition(.number)
                field.isHidden = true
                schema.fields["secret"] = field
            }
            let clients = [
                try await fixture.client(#"{"secret":1}"#),
                try await fixture.client(#"{"secret":null}"#),
                try await fixture.client(#"{"secret":1}"#, as: fixture.master),
            ]
            let id = try await fixture.create(#"{"a":1,"secret":1}"#)
            try await fixture.update(id, #"{"a":2,"secret":2}"#)
            await fixture.live.settle()
            #expect(clients[0].lines == [])
            #expect(clients[1].lines == [#"create {"a":1}"#, #"update ["a"] {"a":2}"#])
            #expect(clients[2].lines == [#"create {"a":1,"secret":1}"#, #"leave ["a","secret"] {"a":2,"secret":2}"#])
        }
    }

    @Test("a user hears of itself although the class of users is closed, and of no other one")
    func selfOnly() async throws {
        try await fixture.running {
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let client = try await fixture.client(in: .user, as: ann)
            for user in [ann, bob] {
                try await fixture.update(try #require(user.user).id, #"{"nick":"n"}"#, in: .user)
            }
            await fixture.live.settle()
            #expect(client.events.count == 1)
            #expect(client.lines.first?.hasPrefix(#"update ["nick"] {"#) == true)
            #expect(client.lines.first?.contains("password") == false)
        }
    }

    @Test("a log-in is told with the user to queries of users that match, and a sign-up only as a creation")
    func logins() async throws {
        try await fixture.running {
            try await fixture.change(.user) { $0.permissions[.find] = [.everyone] }
            let client = try await fixture.client(#"{"username":"ann"}"#, in: .user)
            let other = try await fixture.client(#"{"username":"bob"}"#, in: .user)
            _ = try await fixture.users.signUp("ann")
            await fixture.live.settle()
            #expect(client.events.map(\.kind) == [.create])
            _ = try await fixture.users.logIn(#"{"username":"ann","password":"p4ss"}"#)
            await fixture.live.settle()
            #expect(client.events.map(\.kind) == [.create, .login])
            let login = try #require(client.events.last)
            let user = try #require(try JSONValue(parsing: login.object, field: "o").objectValue)
            #expect(user["username"] == "ann")
            #expect(user["className"] == "_User")
            #expect(login.updatedKeys == nil)
            #expect(other.lines == [])
        }
    }

    @Test(
        "neither a refreshed token nor a new password of a user is a log-in, and the next log-in is one",
        arguments: [false, true],
        [false, true]
    )
    func renewals(isShared: Bool, endsSessions: Bool) async throws {
        try await fixture.running {
            try await fixture.change(.user) { $0.permissions[.find] = [.everyone] }
            let secret = isShared ? SessionSecret(masterKey: Secret("a")) : nil
            let users = try SessionFixture(
                AccountSettings(endsSessions: endsSessions, sessionSecret: secret),
                store: fixture.users.store
            )
            let ann = try await users.signUp("ann")
            let client = try await fixture.client(#"{"username":"ann"}"#, in: .user)
            let refreshed = try await users.accounts.refreshSession(of: ann.id, as: try await users.caller(ann.token))
            let second = try #require(try refreshed.members["sessionToken"]?.stringValue)
            let passwords: [String: JSONValue] = ["old_password": "p4ss", "new_password": "n3w"]
            let changed = try await users.accounts.changePassword(
                of: ann.id,
                passwords,
                as: try await users.caller(second)
            )
            let third = try #require(try changed.members["sessionToken"]?.stringValue)
            try await users.update(ann.id, #"{"password":"l4st"}"#, in: .user, as: try await users.caller(third))
            await fixture.live.settle()
            #expect(client.events.map(\.kind) == [.update, .update, .update])
            _ = try await users.logIn(#"{"username":"ann","password":"l4st"}"#)
            await fixture.live.settle()
            #expect(client.events.map(\.kind).dropFirst(3) == [.login])
        }
    }

    @Test("a token that a repeated import brings is no log-in, and the next log-in is one")
    func importedToken() async throws {
        try await fixture.running {
            try await fixture.change(.user) { $0.permissions[.find] = [.everyone] }
            let ann = try await fixture.users.signUp("ann")
            let client = try await fixture.client(#"{"username":"ann"}"#, in: .user)
            let token = String(repeating: "t", count: 25)
            let row = #"{"updatedAt":"2024-05-01T00:00:00.000Z","sessionToken":"\#(token)","nick":"n"}"#
            try await fixture.update(ann.id, row, in: .user)
            await fixture.live.settle()
            #expect(client.events.map(\.kind) == [.update])
            #expect(try await fixture.users.caller(token).user?.id == ann.id)
            _ = try await fixture.users.logIn(#"{"username":"ann","password":"p4ss"}"#)
            await fixture.live.settle()
            #expect(client.events.map(\.kind) == [.update, .login])
        }
    }

    @Test("sessions are recorded only while users are subscribed")
    func recordedClasses() async throws {
        func isRecorded(_ name: ClassName, _ kind: Change.Kind = .updated) -> Bool {
            fixture.users.store.changes.transaction().wantsBefore(kind, in: name)
        }
        #expect(!isRecorded(fixture.task))
        let tasks = try await fixture.subscribe()
        #expect(isRecorded(fixture.task))
        let sessions = try await fixture.subscribe(in: .session, as: fixture.master)
        #expect(isRecorded(.session))
        for id in [tasks, sessions] {
            try await fixture.live.unsubscribe(["id": "page", "query_id": .string(id.description)])
        }
        #expect(!isRecorded(fixture.task))
        #expect(!isRecorded(.session))
    }

    @Test("a caller with a stale look-up gets no more than the rights it has now")
    func staleCaller() async throws {
        try await fixture.running {
            let ann = try await fixture.user("ann")
            let user = try #require(ann.user)
            _ = try await fixture.users.store.write { try $0.delete(user.session, in: .session) }
            let client = try await fixture.client(as: ann)
            try await fixture.create(#"{"a":1,"ACL":{"\#(user.id)":{"read":true}}}"#)
            await fixture.live.settle()
            #expect(client.lines == [])
        }
    }
}
