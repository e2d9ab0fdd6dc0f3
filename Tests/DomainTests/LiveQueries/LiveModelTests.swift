import Support
import Testing

@testable import Domain

#if canImport(Glibc)
import Glibc
#endif

/// Random histories: every connection gets exactly the events of a model that evaluates everything.
@Suite struct LiveModelTests {
    /// The number of histories: a few, or as many as the environment says.
    private static var histories: Range<UInt64> {
        0..<(getenv("LCFILE_LIVE_HISTORIES").flatMap { UInt64(String(cString: $0)) } ?? 8)
    }

    @Test("a random history causes the events of the model", arguments: histories)
    func history(seed: UInt64) async throws {
        try await LiveHistory.run(seed: seed, steps: 300)
    }

    @Test("so does one of three servers, whose changes reach the others late", arguments: histories)
    func servers(seed: UInt64) async throws {
        try await LiveHistory.run(seed: seed, steps: 300, servers: 3)
    }
}

/// One random history and its model.
private struct LiveHistory {
    private let fixture: LiveFixture
    /// The servers if there are several, of which ``fixture`` is the first.
    private let servers: LiveServers?
    private var random: SeededGenerator
    private var model: LiveModel
    private var callers: [LiveModel.Who: Caller] = [:]
    private var clients: [LiveClient] = []
    private var role: ObjectID
    private var time: Int64 = 0

    static func run(seed: UInt64, steps: Int, servers count: Int = 1) async throws {
        var history = try await LiveHistory(seed: seed, servers: count)
        let runs = history.all.map { server in Task { await server.live.run() } }
        defer { for run in runs { run.cancel() } }
        try await history.begin()
        for _ in 0..<steps { try await history.step() }
        await history.settle()
        history.compare()
        for run in runs {
            run.cancel()
            await run.value
        }
    }

    private var all: [LiveFixture] { servers?.servers ?? [fixture] }

    /// Lets all changes reach all servers, and cause their events.
    private func settle() async {
        for store in servers?.stores ?? [] { store.release() }
        for server in all { await server.live.settle() }
    }

    /// One of the servers, after some have stopped to hear of the others.
    private mutating func server() -> LiveFixture {
        for store in servers?.stores ?? [] where chance(50) { store.hold() }
        return all[int(0..<all.count)]
    }

    private init(seed: UInt64, servers count: Int) async throws {
        let limits = LiveQueryLimits(subscriptionsPerInstallation: 1000, subscribeRate: 100_000)
        servers = count > 1 ? try LiveServers(count, limits) : nil
        fixture = try servers?.servers[0] ?? LiveFixture(limits)
        random = SeededGenerator(seed: seed)
        callers = [.guest: fixture.guest, .master: fixture.master]
        var ids: [ObjectID] = []
        for number in 0..<3 {
            let caller = try await fixture.user("user\(number)")
            callers[.user(number)] = caller
            ids.append(try #require(caller.user).id)
        }
        model = LiveModel(users: ids)
        role = try await fixture.users.role("Inner")
        _ = try await fixture.users.role("Outer", roles: [role])
        let folder = try ClassName("Folder")
        let knowsPointer = seed.isMultiple(of: 2)
        try await fixture.change { schema in
            var hidden = FieldDefinition(.number)
            hidden.isHidden = true
            schema.fields["hidden"] = hidden
            if knowsPointer { schema.fields["p"] = FieldDefinition(.pointer(folder)) }
        }
        // The facts about a caller are those of one server's cache.
        callers = callers.mapValues { caller in
            caller.user.map { caller.logged(in: Caller.User(id: $0.id, session: $0.session)) } ?? caller
        }
    }

    private mutating func begin() async throws {
        for number in 0..<4 {
            let client = try await servers?.connect(to: int(0..<all.count), "i\(number)")
            clients.append(try client ?? fixture.connect("i\(number)"))
        }
        for _ in 0..<20 { try await subscribe() }
    }

    private mutating func step() async throws {
        switch int(0..<100) {
        case 0..<4: try await subscribe()
        case 4..<6: try await unsubscribe()
        case 6..<9: try await changeRole()
        case 9..<12: try await changePermissions()
        case 12: try await endSession()
        case 13..<16: await settle()
        default: try await write()
        }
    }

    /// Compares the events of each subscription with those of the model.
    private func compare() {
        var events: [LiveQueryID: [String]] = [:]
        for client in clients {
            #expect(client.departures == 0)
            for event in client.events { events[event.query, default: []].append(line(event)) }
        }
        for id in Set(events.keys).union(model.events.keys) {
            let (made, wanted) = (events[id] ?? [], model.events[id] ?? [])
            guard made != wanted else { continue }
            let index = zip(made, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(made.count, wanted.count)
            let condition = model.subscriptions[id].map { "\($0)" } ?? "ended"
            Issue.record(
                """
                \(condition): event \(index) of \(made.count) is \(index < made.count ? made[index] : "missing"), \
                of \(wanted.count) expected is \(index < wanted.count ? wanted[index] : "none")
                """
            )
        }
    }

    private func line(_ event: LiveEvent) -> String {
        var line = event.kind.rawValue
        if let keys = event.updatedKeys, let names = try? JSONValue(parsing: keys, field: "keys").arrayValue {
            line += " " + names.compactMap(\.stringValue).joined(separator: ",")
        }
        let object = try? JSONValue(parsing: event.object, field: "object")
        return line + " " + String(decoding: (object ?? .null).encoded(), as: UTF8.self)
    }

    // MARK: Steps

    private mutating func write() async throws {
        var steps: [(id: ObjectID, after: StoredObject?, exists: Bool)] = []
        for _ in 0..<(chance(20) ? 3 : 1) {
            let id = objectID()
            let known = model.objects[id]
            let after = known != nil && chance(15) ? nil : object(id, from: known)
            steps.append((id, after, known != nil))
            model.change(id, to: after)
        }
        let task = fixture.task
        try await server().store.write { [steps] writer in
            for (id, after, exists) in steps {
                switch (after, exists) {
                case (nil, _): _ = try writer.delete(id, in: task)
                case (let after?, true): try writer.update(after, in: task)
                case (let after?, false): try writer.insert(after, into: task)
                }
            }
        }
    }

    private mutating func subscribe() async throws {
        let who: LiveModel.Who = [.master, .guest, .user(0), .user(1), .user(2)][int(0..<5)]
        let condition = condition(depth: 1)
        let returnsACL = chance(20)
        let installation = "i\(int(0..<clients.count))"
        let query: [String: JSONValue] = ["className": "Task", "where": condition, "returnACL": .bool(returnsACL)]
        let body: [String: JSONValue] = ["id": .string(installation), "query": .object(query)]
        // The rights of a repeated subscription change at once.
        await settle()
        let caller = try #require(callers[who])
        guard model.finds(who) else {
            let id = try? await server().live.subscribe(body, as: caller)
            #expect(id == nil)
            return
        }
        let id = try await server().live.subscribe(body, as: caller)
        model.subscriptions[id] = LiveModel.Subscription(condition: condition, who: who, returnsACL: returnsACL)
    }

    private mutating func unsubscribe() async throws {
        await settle()
        let ids = model.subscriptions.keys.sorted { $0.description < $1.description }
        guard ids.count > 10 else { return }
        let id = ids[int(0..<ids.count)]
        let server = server()
        for number in clients.indices {
            try await server.live.unsubscribe(["id": .string("i\(number)"), "query_id": .string(id.description)])
        }
        model.subscriptions[id] = nil
    }

    private mutating func changeRole() async throws {
        await settle()
        let user = int(0..<model.users.count)
        let isMember = model.inner.contains(user)
        let pointer = String(decoding: Pointer(.user, model.users[user]).json.encoded(), as: UTF8.self)
        let operation = isMember ? "RemoveRelation" : "AddRelation"
        try await fixture.update(role, #"{"users":{"__op":"\#(operation)","objects":[\#(pointer)]}}"#, in: .role)
        if isMember { model.inner.remove(user) } else { model.inner.insert(user) }
    }

    private mutating func changePermissions() async throws {
        await settle()
        let audience = ["everyone", "everyone", "users", "role:Outer", "user:\(model.users[0])"][int(0..<5)]
        let entry = try Audience(audience)
        try await fixture.change { $0.permissions[.find] = [entry] }
        model.audience = audience
    }

    private mutating func endSession() async throws {
        await settle()
        let user = int(0..<model.users.count)
        let session = try #require(callers[.user(user)]?.user).session
        _ = try await server().store.write { try $0.delete(session, in: .session) }
        model.ended.insert(user)
    }

    // MARK: Values

    private mutating func object(_ id: ObjectID, from known: StoredObject?) -> StoredObject {
        time += 1
        let now = Timestamp(milliseconds: time)
        var object = known ?? StoredObject(id: id, createdAt: now, updatedAt: now, fields: [:])
        object.updatedAt = now
        for field in ["a", "b", "s", "m", "p", "hidden"] where known == nil || chance(30) {
            object.fields[field] = chance(15) ? nil : value(of: field)
        }
        if known == nil || chance(25) { object.acl = acl() }
        return object
    }

    private mutating func value(of field: String) -> JSONValue {
        let small = JSONValue.integer(Int64(int(0..<4)))
        switch field {
        case "s": return [.string("ab"), .string("abc"), .string("b"), .null, .array(["ab", "x"])][int(0..<5)]
        case "m": return chance(40) ? .array([["x": small], ["x": .integer(1)], "y"]) : ["x": small]
        case "p": return pointer()
        case "hidden": return small
        default: return [small, small, .number(1), .number(2.5), .null, .array([small, .integer(9)]), "1"][int(0..<7)]
        }
    }

    private mutating func pointer() -> JSONValue {
        ["__type": "Pointer", "className": "Folder", "objectId": .string("f\(int(0..<2))")]
    }

    private mutating func acl() -> AccessControlList? {
        let read: JSONValue = ["read": .bool(true)]
        switch int(0..<8) {
        case 0, 1: return nil
        case 2: return AccessControlList(stored: ["*": read])
        case 3: return AccessControlList(stored: [:])
        case 4: return AccessControlList(stored: ["role:Inner": read])
        case 5: return AccessControlList(stored: ["role:Outer": read, "*": ["write": .bool(true)]])
        default: return AccessControlList(stored: [model.users[int(0..<model.users.count)].description: read])
        }
    }

    private mutating func condition(depth: Int) -> JSONValue {
        if depth > 0, chance(25) {
            return ["$or": .array((0..<2).map { _ in condition(depth: depth - 1) })]
        }
        var members: [String: JSONValue] = [:]
        for _ in 0..<(chance(40) ? 2 : 1) {
            let (name, test) = test()
            members[name] = test
        }
        return .object(members)
    }

    private mutating func test() -> (String, JSONValue) {
        let small = JSONValue.integer(Int64(int(0..<4)))
        let field = ["a", "b", "m.x", "hidden"][int(0..<4)]
        switch int(0..<14) {
        case 0, 1: return (field, small)
        case 2: return (["a", "b"][int(0..<2)], [.number(1), .number(2.5), "1"][int(0..<3)])
        case 3: return (["a", "s", "hidden"][int(0..<3)], .null)
        case 4: return (field, ["$in": .array([small, .integer(1)])])
        case 5: return (field, ["$gt": small])
        case 6: return (field, ["$lte": small])
        case 7: return ("s", ["$regex": "^ab"])
        case 8: return (["a", "s", "m.x", "p"][int(0..<4)], ["$exists": .bool(chance(50))])
        case 9: return (["a", "s", "hidden"][int(0..<3)], ["$ne": small])
        case 10: return ("p", pointer())
        case 11: return ("objectId", .string(objectID().description))
        case 12: return ("a", ["$all": .array([small, .integer(9)])])
        default: return ("s", ["$in": .array(["b", .null])])
        }
    }

    private mutating func objectID() -> ObjectID {
        let ids = (0..<12).compactMap { ObjectID("o\($0)") }
        return ids[int(0..<ids.count)]
    }

    private mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func chance(_ percent: Int) -> Bool { int(0..<100) < percent }
}
