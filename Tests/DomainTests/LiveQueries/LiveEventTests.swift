import Support
import Testing

@testable import Domain

@Suite struct LiveEventTests {
    private let fixture: LiveFixture

    init() throws {
        fixture = try LiveFixture()
    }

    private static let hidden = #""ACL":{"nobody":{"read":true}}"#
    private static let open = #""ACL":{"*":{"read":true}}"#

    @Test(
        "an update is told by what holds before and after: the condition and the right to read",
        arguments: [
            (#"{"a":1,\#(open)}"#, #"{"b":1}"#, [#"update ["b"] {"a":1,"b":1}"#]),
            (#"{"a":0,\#(open)}"#, #"{"a":1}"#, [#"enter ["a"] {"a":1}"#]),
            (#"{"a":1,\#(open)}"#, #"{"a":0}"#, [#"leave ["a"] {"a":0}"#]),
            (#"{"a":0,\#(open)}"#, #"{"a":2}"#, []),
            (#"{"a":1,\#(open)}"#, #"{\#(hidden)}"#, [#"leave [] {}"#]),
            (#"{"a":1,\#(hidden)}"#, #"{\#(open)}"#, [#"enter [] {"a":1}"#]),
            (#"{"a":1,\#(hidden)}"#, #"{"b":1}"#, []),
            (#"{"a":0,\#(hidden)}"#, #"{"a":1}"#, []),
            (#"{"a":0,\#(hidden)}"#, #"{"a":1,\#(open)}"#, [#"enter ["a"] {"a":1}"#]),
            (#"{"a":1,\#(open)}"#, #"{"a":0,\#(hidden)}"#, [#"leave [] {}"#]),
            (#"{"a":1,\#(hidden)}"#, #"{"a":0,\#(open)}"#, []),
            (#"{"a":0,\#(open)}"#, #"{"a":1,\#(hidden)}"#, []),
        ] as [(String, String, [String])]
    )
    func updates(before: String, change: String, lines: [String]) async throws {
        try await fixture.running {
            let id = try await fixture.create(before)
            let client = try await fixture.client(#"{"a":1}"#)
            try await fixture.update(id, change)
            await fixture.live.settle()
            #expect(client.lines == lines)
        }
    }

    @Test(
        "a creation and a deletion are told to those who match and read the object",
        arguments: [
            (#"{"a":1}"#, [#"create {"a":1}"#, "delete {}"]), (#"{"a":0}"#, []), (#"{"a":1,\#(hidden)}"#, []),
        ] as [(String, [String])]
    )
    func creations(object: String, lines: [String]) async throws {
        try await fixture.running {
            let client = try await fixture.client(#"{"a":1}"#)
            let id = try await fixture.create(object)
            try await fixture.delete(id)
            await fixture.live.settle()
            #expect(client.lines == lines)
        }
    }

    @Test("an event names the query, and its object has type, class, id and times")
    func wholeEvent() async throws {
        try await fixture.running {
            let query = try await fixture.subscribe(#"{"a":{"$exists":true}}"#)
            let client = try fixture.connect()
            let id = try await fixture.create(#"{"a":[1,2]}"#)
            try await fixture.delete(id)
            await fixture.live.settle()
            let events = try client.events.map { try #require(try JSONValue(parsing: $0.json, field: "e").objectValue) }
            #expect(events.map { $0["query_id"]?.stringValue } == [query.description, query.description])
            #expect(events.map { $0["op"]?.stringValue } == ["create", "delete"])
            let object = try #require(events[0]["object"]?.objectValue)
            #expect(object["__type"] == "Object")
            #expect(object["className"] == "Task")
            #expect(object["objectId"]?.stringValue == id.description)
            #expect(object["createdAt"]?.stringValue != nil)
            #expect(object["updatedAt"]?.stringValue != nil)
            #expect(object["a"] == .array([.integer(1), .integer(2)]))
            #expect(Set(try #require(events[1]["object"]?.objectValue).keys) == ["__type", "className", "objectId"])
        }
    }

    @Test("events of several changes in one transaction come in order, one for each change")
    func order() async throws {
        try await fixture.running {
            let client = try await fixture.client(#"{"n":{"$gt":0}}"#)
            let now = Timestamp(milliseconds: 0)
            let id = try #require(ObjectID("x"))
            let task = fixture.task
            try await fixture.change { $0.fields["n"] = FieldDefinition(.number) }
            try await fixture.users.store.write { writer in
                func object(_ n: Int64) -> StoredObject {
                    StoredObject(id: id, createdAt: now, updatedAt: now, fields: ["n": .integer(n)])
                }
                try writer.insert(object(1), into: task)
                try writer.update(object(2), in: task)
                try writer.update(object(0), in: task)
                try writer.update(object(3), in: task)
                _ = try writer.delete(id, in: task)
            }
            await fixture.live.settle()
            #expect(
                client.lines == [
                    #"create {"n":1}"#, #"update ["n"] {"n":2}"#, #"leave ["n"] {"n":0}"#, #"enter ["n"] {"n":3}"#,
                    "delete {}",
                ]
            )
        }
    }

    @Test("updated keys are the fields that differ, in order, and the ACL where it is shown", arguments: [false, true])
    func updatedKeys(returnsACL: Bool) async throws {
        try await fixture.running {
            let client = try await fixture.client(returnsACL: returnsACL)
            let id = try await fixture.create(#"{"z":1,"a":1,"k":1,"m":{"x":1}}"#)
            try await fixture.update(
                id,
                #"{"z":2,"a":{"__op":"Delete"},"k":1,"m.x":2,"n":true,"ACL":{"*":{"read":true}}}"#
            )
            await fixture.live.settle()
            let keys = returnsACL ? #"["ACL","a","m","n","z"]"# : #"["a","m","n","z"]"#
            let acl = returnsACL ? #""ACL":{"*":{"read":true}},"# : ""
            #expect(client.lines.last == #"update \#(keys) {\#(acl)"k":1,"m":{"x":2},"n":true,"z":2}"#)
        }
    }

    @Test("objects are shown as in a query: defaults, relations, files")
    func presentation() async throws {
        try await fixture.running {
            let file = try await fixture.create(#"{"name":"f","url":"https://other.example.com/f"}"#, in: .file)
            try await fixture.change { schema in
                var status = FieldDefinition(.string)
                status.defaultValue = "new"
                schema.fields["status"] = status
            }
            let pointer = #"{"__type":"Pointer","className":"_User","objectId":"u"}"#
            let client = try await fixture.client()
            try await fixture.create(
                #"{"f":{"__type":"File","id":"\#(file)"},"#
                    + #""r":{"__op":"AddRelation","objects":[\#(pointer)]}}"#
            )
            await fixture.live.settle()
            let event = try #require(client.events.first)
            let object = try #require(try JSONValue(parsing: event.object, field: "o").objectValue)
            #expect(object["status"] == "new")
            #expect(object["r"]?.objectValue?["__type"] == "Relation")
            #expect(object["f"]?.objectValue?["__type"] == "File")
            #expect(object["f"]?.objectValue?["url"] == "https://other.example.com/f")
        }
    }

    @Test("a file that a subscriber is not allowed to read stays a pointer for that subscriber only")
    func unreadableFile() async throws {
        try await fixture.running {
            let ann = try await fixture.user("ann")
            let user = try #require(ann.user).id
            let file = try await fixture.create(
                #"{"name":"f","url":"https://x.example.com/f","ACL":{"\#(user)":{"read":true}}}"#,
                in: .file
            )
            let clients = [try await fixture.client(), try await fixture.client(as: ann)]
            try await fixture.create(#"{"f":{"__type":"File","id":"\#(file)"}}"#)
            await fixture.live.settle()
            #expect(clients.map { $0.lines.first?.contains("https://x.example.com/f") } == [false, true])
        }
    }

    @Test("a file has the type of files, also when only its id is shown")
    func fileType() async throws {
        try await fixture.running {
            let client = try await fixture.client(in: .file, as: fixture.master)
            let id = try await fixture.create(#"{"name":"f","url":"https://other.example.com/f"}"#, in: .file)
            _ = try await fixture.store.write { try $0.delete(id, in: .file) }
            await fixture.live.settle()
            let objects = try client.events.map { try JSONValue(parsing: $0.object, field: "o").objectValue ?? [:] }
            #expect(client.events.map(\.kind) == [.create, .delete])
            #expect(objects.map { $0["__type"] } == ["File", "File"])
            #expect(objects.map { $0["className"] } == ["_File", "_File"])
        }
    }

    private static func tag(_ id: String) -> String {
        #"{"__type":"Pointer","className":"Tag","objectId":"\#(id)"}"#
    }

    @Test(
        "a comparison with a relation is refused, because a change does not say which members it had before",
        arguments: [
            #"{"tags":\#(tag("red"))}"#, #"{"a":1,"tags":{"$in":[\#(tag("red"))]}}"#,
            #"{"tags":{"$ne":\#(tag("red"))}}"#, #"{"$or":[{"a":1},{"tags":\#(tag("red"))}]}"#,
        ]
    )
    func relations(condition: String) async throws {
        let tag = try ClassName("Tag")
        try await fixture.change { $0.fields["tags"] = FieldDefinition(.relation(tag)) }
        let error = await #expect(throws: ServiceError.self) { try await fixture.subscribe(condition) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.contains("relation 'tags'") == true)
        #expect(fixture.live.status.subscriptions == 0)
    }

    @Test("a subscription ends when a field of its condition becomes a relation")
    func newRelation() async throws {
        try await fixture.running {
            let condition = #"{"tags":\#(LiveEventTests.tag("red"))}"#
            try await fixture.subscribe(condition)
            let client = try fixture.connect()
            let other = try await fixture.client()
            try await fixture.create(
                #"{"tags":{"__op":"AddRelation","objects":[\#(LiveEventTests.tag("red"))]}}"#
            )
            await fixture.live.settle()
            #expect(client.departures == 1)
            #expect(client.lines == [])
            #expect(other.events.map(\.kind) == [.create])
            await #expect(throws: ServiceError.self) { try await fixture.subscribe(condition) }
        }
    }

    @Test("every connection of an installation gets each event, and the storage of the object is shared")
    func connections() async throws {
        try await fixture.running {
            try await fixture.subscribe()
            let clients = try [fixture.connect(), fixture.connect()]
            let id = try #require(InstallationID("page"))
            _ = try fixture.live.attach(clients[0], as: id)
            #expect(fixture.live.status.connections == 2)
            try await fixture.create(#"{"a":1}"#)
            await fixture.live.settle()
            #expect(clients.map(\.lines) == [[#"create {"a":1}"#], [#"create {"a":1}"#]])
            fixture.live.detach(clients[0], from: id)
            try await fixture.create(#"{"a":2}"#)
            await fixture.live.settle()
            #expect(clients.map(\.events.count) == [1, 2])
            #expect(fixture.live.status == LiveQueryService.Status(connections: 1, subscriptions: 1, events: 3))
        }
    }

    @Test("a subscription hears of no change that was committed before it began")
    func notTooEarly() async throws {
        try await fixture.subscribe(id: "other")
        try await fixture.create(#"{"a":1}"#)
        let client = try await fixture.client()
        try await fixture.create(#"{"a":2}"#)
        try await fixture.running {
            await fixture.live.settle()
            #expect(client.lines == [#"create {"a":2}"#])
        }
    }

    @Test("a change of a class without candidates begins no transaction")
    func noTransaction() async throws {
        try await fixture.running {
            let client = try await fixture.client(#"{"a":1}"#)
            try await fixture.create(#"{"a":2}"#)
            await fixture.live.settle()
            let reads = fixture.users.store.readCount
            let now = Timestamp(milliseconds: 0)
            for (name, id) in [(fixture.task, "x"), (ClassName.role, "y")] {
                let object = StoredObject(id: try #require(ObjectID(id)), createdAt: now, updatedAt: now, fields: [:])
                try await fixture.users.store.write { try $0.insert(object, into: name) }
            }
            await fixture.live.settle()
            #expect(fixture.users.store.readCount == reads)
            #expect(client.lines == [])
        }
    }
}
