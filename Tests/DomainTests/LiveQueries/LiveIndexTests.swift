import PCREPatterns
import Testing

@testable import Domain

/// The index finds every node whose condition holds for a state, and few others.
@Suite struct LiveIndexTests {
    private let fixture: LiveFixture

    init() throws {
        fixture = try LiveFixture()
    }

    private func node(
        _ condition: String,
        in schema: ClassSchema?,
        of owner: LiveOwner = .master
    ) throws -> LiveNode {
        let query: JSONValue = ["className": "Task", "where": try fixture.users.json(condition)]
        let live = try LiveQuery(query, limits: LiveQueryLimits(), queries: QueryLimits(), engine: PCREEngine())
        return LiveNode(live, isMaster: false, in: schema, of: owner)
    }

    private func schema(_ fields: [String: FieldType] = [:]) -> ClassSchema {
        ClassSchema(name: fixture.task, fields: fields.mapValues { FieldDefinition($0) })
    }

    private static let pointer = #"{"__type":"Pointer","className":"Folder","objectId":"f"}"#

    @Test(
        "a state finds the nodes of its values",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#, true), (#"{"a":1}"#, #"{"a":2}"#, false), (#"{"a":1}"#, #"{}"#, false),
            (#"{"a":1}"#, #"{"a":1.0}"#, true), (#"{"a":1.0}"#, #"{"a":1}"#, true), (#"{"a":1}"#, #"{"a":"1"}"#, false),
            (#"{"a":1}"#, #"{"a":true}"#, false), (#"{"a":true}"#, #"{"a":true}"#, true),
            (#"{"a":1}"#, #"{"a":[0,1]}"#, true), (#"{"a":1}"#, #"{"a":[0,[1]]}"#, false),
            (#"{"a":[0,1]}"#, #"{"a":[0,1]}"#, true), (#"{"a":[0,1]}"#, #"{"a":[[0,1]]}"#, true),
            (#"{"a":"x"}"#, #"{"a":"x"}"#, true), ("{\"a\":\"\u{e9}\"}", "{\"a\":\"e\u{301}\"}", false),
            (#"{"a":{"b":1}}"#, #"{"a":{"b":1.0}}"#, true), (#"{"a.b":1}"#, #"{"a":{"b":1}}"#, true),
            (#"{"a.b":1}"#, #"{"a":[{"b":0},{"b":1}]}"#, true), (#"{"a.1.b":1}"#, #"{"a":[{"b":0},{"b":1}]}"#, true),
            (#"{"a.b":1}"#, #"{"a":[{"b":[1]}]}"#, true), (#"{"a.b":1}"#, #"{"a":1}"#, false),
            (#"{"a":{"$in":[1,2]}}"#, #"{"a":2}"#, true), (#"{"a":{"$in":[1,2]}}"#, #"{"a":3}"#, false),
            (#"{"a":{"$in":[]}}"#, #"{"a":3}"#, false), (#"{"a":{"$all":[1,2]}}"#, #"{"a":[2,1]}"#, true),
            (#"{"$or":[{"a":1},{"b":2}]}"#, #"{"b":2}"#, true), (#"{"$or":[{"a":1},{"b":2}]}"#, #"{"a":2}"#, false),
            (#"{"a":1,"b":{"$gt":5}}"#, #"{"a":1,"b":6}"#, true), (#"{"a":1,"b":{"$gt":5}}"#, #"{"b":6}"#, false),
            (#"{"p":\#(pointer)}"#, #"{"p":\#(pointer)}"#, true), (#"{"p":\#(pointer)}"#, #"{"p":1}"#, false),
            (#"{"objectId":"x"}"#, "{}", true), (#"{"objectId":"y"}"#, "{}", false),
        ] as [(String, String, Bool)]
    )
    func terms(condition: String, object: String, isFound: Bool) throws {
        let folder = try ClassName("Folder")
        let node = try node(condition, in: schema(["p": .pointer(folder)]))
        #expect(node.terms != nil)
        #expect(try found(node, object) == isFound)
    }

    @Test(
        "other conditions are tested for every state",
        arguments: [
            "{}", #"{"a":null}"#, #"{"a":{"$in":[1,null]}}"#, #"{"a":{"$ne":1}}"#, #"{"a":{"$gt":1}}"#,
            #"{"a":{"$exists":true}}"#, #"{"a":{"$regex":"x"}}"#, #"{"$or":[{"a":1},{"b":{"$gt":2}}]}"#,
            #"{"a":{"$nin":[1]}}"#, #"{"r":\#(pointer)}"#, #"{"unknown":\#(pointer)}"#, #"{"a":{"$all":[null]}}"#,
        ]
    )
    func rest(condition: String) throws {
        let node = try node(condition, in: schema(["r": .relation(try ClassName("Folder"))]))
        #expect(node.terms == nil)
        #expect(try found(node, "{}"))
    }

    @Test("a list beyond a hundred values is tested for every state")
    func longList() throws {
        for (count, hasTerms) in [(100, true), (101, false)] {
            let list = (0..<count).map(String.init).joined(separator: ",")
            #expect(try (node(#"{"a":{"$in":[\#(list)]}}"#, in: nil).terms != nil) == hasTerms)
        }
    }

    @Test(
        "a conjunction takes the term that finds least",
        arguments: [
            (#"{"a":true,"b":1}"#, "b"), (#"{"a":{"$in":[1,2]},"b":1}"#, "b"), (#"{"a":1,"objectId":"x"}"#, "objectId"),
            (#"{"a":{"$gt":1},"b":{"$in":[1,2,3]}}"#, "b"), (#"{"$or":[{"a":1},{"a":2}],"b":1}"#, "b"),
        ]
    )
    func mostSelective(condition: String, field: String) throws {
        #expect(try node(condition, in: schema()).terms?.terms.map(\.path.description) == [field])
    }

    @Test("equal conditions share a node, and the node leaves with its last subscription")
    func sharing() async throws {
        var ids: [LiveQueryID] = []
        for (number, condition) in [#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#].enumerated() {
            ids.append(try await fixture.subscribe(condition, id: "i\(number)"))
        }
        try await fixture.subscribe(#"{"a":1,"b":2}"#, as: fixture.master, id: "m")
        let subscriptions = fixture.live.registry.withState(\.subscriptions)
        #expect(Set(subscriptions.values.map { ObjectIdentifier($0.node) }).count == 2)
        try await fixture.live.unsubscribe(["id": "i0", "query_id": .string(ids[0].description)])
        for id in ["i1", "m"] { _ = try fixture.connect(id) }
        #expect(try found(#"{"a":1,"b":2}"#) == 2)
    }

    @Test("a node is found while an installation with one of its subscriptions has a connection")
    func connections() async throws {
        for condition in [#"{"a":1}"#, "{}"] {
            for id in ["i0", "i1"] { try await fixture.subscribe(condition, id: id) }
        }
        let object = #"{"a":1}"#
        #expect(try found(object) == 0)
        let clients = try [fixture.connect("i0"), fixture.connect("i0"), fixture.connect("i1")]
        #expect(try found(object) == 2)
        for (client, id) in zip(clients, ["i0", "i0", "i1"]) {
            #expect(try found(object) == 2)
            fixture.live.detach(client, from: try #require(InstallationID(id)))
        }
        #expect(try found(object) == 0)
        _ = try fixture.connect("i0")
        #expect(try found(object) == 2)
    }

    /// The number of nodes of the fixture that a state finds.
    private func found(_ object: String) throws -> Int {
        let index = try #require(fixture.live.registry.withState { $0.classes[fixture.task] })
        return try index.table.candidates([state(object)]).count
    }

    @Test("clients at one address add 16 paths, and their further nodes are tested for every state")
    func pathsOfAddress() throws {
        var table = LiveNodeTable()
        let (near, far) = (
            LiveOwner(address: "10.0.0.1", isGuest: true), LiveOwner(address: "10.0.0.2", isGuest: true)
        )
        let nodes = try (0..<20).map { try node(#"{"a.p\#($0)":1}"#, in: nil, of: near) }
        for node in nodes { table.insert(node) }
        table.insert(try node(#"{"b":1}"#, in: nil, of: far))
        table.insert(try node(#"{"a.p0":2}"#, in: nil, of: near))
        #expect(try table.candidates([state("{}")]).count == 4)
        #expect(try table.candidates([state(#"{"a":{"p0":1},"b":1}"#)]).count == 6)
        for node in nodes { table.remove(node) }
        #expect(try table.candidates([state(#"{"a":{"p1":1}}"#)]).isEmpty)
        table.insert(nodes[19])
        #expect(try table.candidates([state("{}")]).isEmpty)
        #expect(try table.candidates([state(#"{"a":{"p19":1}}"#)]).count == 1)
    }

    private func state(_ text: String) throws -> StoredObject {
        let now = Timestamp(milliseconds: 0)
        let fields = try fixture.users.json(text).objectValue ?? [:]
        return StoredObject(id: try #require(ObjectID("x")), createdAt: now, updatedAt: now, fields: fields)
    }

    @Test("of ten thousand nodes, a change evaluates the ten that have its values")
    func manyNodes() throws {
        var index = LiveIndex()
        for number in 0..<10_000 {
            let node = try node(#"{"list":\#(number / 10),"n":{"$gt":\#(number)}}"#, in: nil)
            index.insert(try subscription(node, "q\(number)"), of: .address("10.0.0.1"))
        }
        #expect(try index.table.candidates([state(#"{"list":77,"n":5}"#)]).count == 10)
    }

    @Test("a change visits a hundred thousand values for the paths of nodes, and tests the nodes of the other paths")
    func manyPaths() throws {
        var index = LiveIndex()
        for number in 0..<200 {
            let node = try node(#"{"a.p\#(number)":1}"#, in: nil)
            index.insert(try subscription(node, "q\(number)"), of: .address("10.0.0.1"))
        }
        #expect(try index.table.candidates([state(#"{"a":{"p7":1}}"#)]).count == 1)
        // The array itself counts, too.
        let elements = Array(repeating: "{}", count: 999).joined(separator: ",")
        #expect(try index.table.candidates([state(#"{"a":[\#(elements)]}"#)]).count == 100)
    }

    @Test("a node has each of its clients once, also behind two thousand subscriptions of one of them")
    func clients() throws {
        var index = LiveIndex()
        let node = try node(#"{"a":1}"#, in: nil)
        for number in 0..<2000 {
            index.insert(try subscription(node, "q\(number)"), of: .address("10.0.0.1"))
        }
        let other = try subscription(node, "other")
        index.insert(other, of: .address("10.0.0.2"))
        let both: Set<LiveAllowances.Key> = [.address("10.0.0.1"), .address("10.0.0.2")]
        #expect(index.clients(of: node, at: 0, atMost: 16) == both)
        #expect(index.clients(of: node, at: 0, atMost: 1).count == 1)
        #expect(index.clients(of: node, at: -1, atMost: 16).isEmpty)
        #expect(index.connected(of: node, at: 0).count == 2001)
        index.setClient(.address("10.0.0.1"), of: other)
        #expect(index.clients(of: node, at: 0, atMost: 16) == [.address("10.0.0.1")])
        index.setClient(nil, of: other)
        #expect(index.connected(of: node, at: 0).count == 2000)
    }

    private func subscription(_ node: LiveNode, _ id: String = "q") throws -> LiveSubscription {
        LiveSubscription(
            id: LiveQueryID(id),
            installation: try #require(InstallationID("i")),
            node: node,
            caller: .guest,
            owner: .master,
            returnsACL: false,
            since: 0
        )
    }

    private func found(_ node: LiveNode, _ object: String) throws -> Bool {
        var index = LiveIndex()
        let subscription = try subscription(node)
        index.insert(subscription, of: .address("10.0.0.1"))
        let isFound = try !index.table.candidates([state(object)]).isEmpty
        index.remove(subscription)
        #expect(index.isEmpty)
        #expect(try index.table.candidates([state(object)]).isEmpty)
        return isFound
    }
}
