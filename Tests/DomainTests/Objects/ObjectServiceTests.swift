import Domain
import Support
import Testing

@Suite struct ObjectServiceTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
    }

    @Test(
        "operations do what the protocol says, on what is there and on what is not",
        arguments: [
            (#"{"n":1}"#, #"{"n":{"__op":"Increment","amount":2}}"#, #"{"n":3}"#),
            (#"{"n":1}"#, #"{"n":{"__op":"Increment","amount":-0.5}}"#, #"{"n":0.5}"#),
            (#"{"n":1}"#, #"{"n":{"__op":"Decrement","amount":2}}"#, #"{"n":-1}"#),
            (#"{"n":9223372036854775807}"#, #"{"n":{"__op":"Increment","amount":1}}"#, #"{"n":9.223372036854776e+18}"#),
            ("{}", #"{"n":{"__op":"Increment","amount":2}}"#, #"{"n":2}"#),
            (#"{"n":null}"#, #"{"n":{"__op":"Increment","amount":2}}"#, #"{"n":2}"#),
            (#"{"a":[1]}"#, #"{"a":{"__op":"Add","objects":[1,2]}}"#, #"{"a":[1,1,2]}"#),
            ("{}", #"{"a":{"__op":"Add","objects":[1]}}"#, #"{"a":[1]}"#),
            (#"{"a":[1]}"#, #"{"a":{"__op":"AddUnique","objects":[1.0,2,2]}}"#, #"{"a":[1,2]}"#),
            (#"{"a":[1,2,1]}"#, #"{"a":{"__op":"Remove","objects":[1]}}"#, #"{"a":[2]}"#),
            ("{}", #"{"a":{"__op":"Remove","objects":[1]}}"#, #"{"a":[]}"#),
            (#"{"n":6}"#, #"{"n":{"__op":"BitAnd","value":3}}"#, #"{"n":2}"#),
            ("{}", #"{"n":{"__op":"BitAnd","value":1}}"#, #"{"n":0}"#),
            ("{}", #"{"n":{"__op":"BitOr","value":1}}"#, #"{"n":1}"#),
            (#"{"n":5}"#, #"{"n":{"__op":"BitXor","value":1}}"#, #"{"n":4}"#),
            (#"{"n":5}"#, #"{"n":{"__op":"Delete"}}"#, "{}"), ("{}", #"{"n":{"__op":"Delete","delete":true}}"#, "{}"),
            (#"{"o":{"a":1}}"#, #"{"o.b.c":2}"#, #"{"o":{"a":1,"b":{"c":2}}}"#),
            (#"{"o":{"a":1,"b":2}}"#, #"{"o.a":{"__op":"Delete"}}"#, #"{"o":{"b":2}}"#),
            (#"{"o":{"a":1}}"#, #"{"o.a":{"__op":"Increment","amount":1}}"#, #"{"o":{"a":2}}"#),
            ("{}", #"{"o.t":{"__op":"Add","objects":["q"]}}"#, #"{"o":{"t":["q"]}}"#),
            (#"{"o":{"a":1}}"#, #"{"o.x.y":{"__op":"Delete"}}"#, #"{"o":{"a":1}}"#),
            (
                #"{"a":[1]}"#,
                #"{"a":{"__op":"Batch","ops":[{"__op":"Add","objects":[2]},{"__op":"Remove","objects":[1]}]}}"#,
                #"{"a":[2]}"#
            ),
        ]
    )
    func operations(before: String, change: String, after: String) async throws {
        let object = try await objects.create(before)
        let reply = try await objects.update(object, change)
        let shown = reply.filter { !["objectId", "updatedAt"].contains($0.key) }
        #expect(String(decoding: JSONValue.object(shown).encoded(), as: UTF8.self) == after)
    }

    @Test(
        "a value of another type is refused by the text of the real service",
        arguments: [
            (
                #"{"n":1}"#, #"{"n":"x"}"#,
                #"Invalid value type for field 'n',value '"x"',expect type is {:type "Number"},but it is '{:type "String"}'."#
            ),
            (
                #"{"n":"x"}"#, #"{"n":{"__op":"Increment","amount":1}}"#,
                #"expect type is {:type "String"},but it is '{:type "Number"}'"#
            ),
            (
                #"{"n":1}"#, #"{"n":{"__op":"Add","objects":[1]}}"#,
                #"expect type is {:type "Number"},but it is '{:type "Array"}'"#
            ),
            (
                #"{"n":"x"}"#, #"{"n":{"__op":"BitOr","value":1}}"#,
                #"expect type is {:type "String"},but it is '{:type "Number"}'"#
            ),
            (#"{"n":1.5}"#, #"{"n":{"__op":"BitOr","value":1}}"#, "BitOr needs a whole number of 64 bits"),
            (#"{"o":{"a":"x"}}"#, #"{"o.a":{"__op":"Increment","amount":1}}"#, "Invalid value type for field 'o.a'"),
            (#"{"n":1}"#, #"{"n.a":1}"#, "Invalid value type for field 'n.a'"),
            (#"{"o":{"a":1}}"#, #"{"o.a.b":1}"#, "Invalid value type for field 'o.a.b'"),
            (
                #"{"o":{"a":1}}"#, #"{"o.likes":{"__type":"Relation","className":"Folder"}}"#,
                #"expect type is {:type "Any"},but it is '{:type "Relation", :className "Folder"}'"#
            ),
            (
                #"{"p":{"__type":"Pointer","className":"Folder","objectId":"a"}}"#,
                #"{"p":{"__type":"Pointer","className":"Other","objectId":"a"}}"#,
                #"expect type is {:type "Pointer", :className "Folder"},but it is '{:type "Pointer", :className "Other"}'"#
            ),
        ]
    )
    func mismatches(before: String, change: String, sentence: String) async throws {
        let object = try await objects.create(before)
        let error = await #expect(throws: ServiceError.self) { try await objects.update(object, change) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }

    @Test(
        "a relation inside a field is refused, and creates no field",
        arguments: [
            #"{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"Folder","objectId":"a"}]}"#,
            #"{"__op":"RemoveRelation","objects":[{"__type":"Pointer","className":"Folder","objectId":"a"}]}"#,
            #"{"__type":"Relation","className":"Folder"}"#,
        ]
    )
    func nestedRelation(value: String) async throws {
        let object = try await objects.create(#"{"o":{"a":1},"title":"a"}"#)
        for field in ["o", "title", "new"] {
            let error = await #expect(throws: ServiceError.self, "\(field)") {
                try await objects.update(object, #"{"\#(field).likes":\#(value)}"#)
            }
            #expect(error?.code == .typeMismatch, "\(field)")
        }
        try await objects.create(#"{"new":"text"}"#)
    }

    @Test(
        "a relation without a className changes nothing, and creates no field",
        arguments: [#"{"__type":"Relation"}"#, #"{"__type":"Relation","className":null}"#]
    )
    func relationWithoutClass(value: String) async throws {
        let pointer = #"{"__type":"Pointer","className":"Folder","objectId":"a"}"#
        let object = try await objects.create(#"{"likes":{"__op":"AddRelation","objects":[\#(pointer)]},"title":"a"}"#)
        _ = try await objects.update(object, #"{"likes":\#(value),"new":\#(value),"title":"b"}"#)
        try await objects.create(#"{"likes":\#(value),"new":\#(value)}"#)
        let (schema, isMember) = try await objects.store.read { reader in
            let ids = [try #require(ObjectID("a"))]
            return (try reader.schema(of: object.className), try reader.isRelated(object, "likes", to: ids[...]))
        }
        #expect(isMember)
        #expect(schema.map { Set($0.fields.keys) } == ["likes", "title"])
        // The field can still get any type.
        try await objects.create(#"{"new":1}"#)
        for name in ["title", "o.likes", "likes.a"] {
            let error = await #expect(throws: ServiceError.self) {
                try await objects.update(object, #"{"\#(name)":\#(value)}"#)
            }
            #expect(error?.code == .invalidClassName, "\(name)")
        }
    }

    @Test(
        "members that control a request are never stored",
        arguments: ["__internalId", "__children", "__ignore_hooks"] + ObjectChange.tunnelFields.sorted()
    )
    func controlFields(name: String) async throws {
        let object = try await objects.create(#"{"\#(name)":"x","n":1}"#)
        let reply = try await objects.update(object, #"{"\#(name)":{"a":1},"n":2}"#)
        let found = try await objects.find()
        #expect(Set(reply.keys) == ["objectId", "updatedAt", "n"])
        #expect(Set(found.first?.objectValue?.keys.map { $0 } ?? []) == ["objectId", "createdAt", "updatedAt", "n"])
    }

    @Test("null fits every type and fixes none")
    func null() async throws {
        try await objects.create(#"{"n":null}"#)
        try await objects.create(#"{"n":1}"#)
        try await objects.create(#"{"n":null}"#)
        await #expect(throws: ServiceError.self) { try await objects.create(#"{"n":"x"}"#) }
    }

    @Test("each limit is named")
    func limits() async throws {
        let columns = await #expect(throws: ServiceError.self) {
            try await objects.create(#"{"a":1,"b":2,"c":3}"#, limits: ObjectLimits(columns: 2))
        }
        #expect(columns?.message.contains("objects.maxColumns") == true)
        let size = await #expect(throws: ServiceError.self) {
            try await objects.create(#"{"a":"0123456789"}"#, limits: ObjectLimits(objectSize: 17))
        }
        #expect(size?.code == .objectTooLarge)
        #expect(size?.message.contains("objects.maxSize") == true)
        try await objects.create(#"{"a":"0123456789"}"#, limits: ObjectLimits(objectSize: 18))
        let classes = await #expect(throws: ServiceError.self) {
            try await objects.create("{}", in: objects.folder, limits: ObjectLimits(classes: 1))
        }
        #expect(classes?.message.contains("objects.maxClasses") == true)
    }

    @Test(
        "built-in classes that apps use like their own are made with their first object",
        arguments: [
            "_Installation", "_Conversation", "_ConversationMemberInfo", "_SysMessage", "_Notification",
        ]
    )
    func ordinaryClasses(text: String) async throws {
        let name = try ClassName(text)
        // They do not count among the classes of the app, also when the app has all that it may have.
        let limits = ObjectLimits(classes: 1)
        try await objects.create(#"{"title":"a"}"#, limits: limits)
        let object = try await objects.create(#"{"name":"a","m":["u1"],"attr":{"x":1}}"#, in: name, limits: limits)
        let changed = try await objects.update(object, #"{"m":{"__op":"AddUnique","objects":["u2"]}}"#)
        #expect(changed["m"] == .array(["u1", "u2"]))
        let delete = ObjectCommand(name, .delete([object.id], where: nil))
        _ = try await objects.service().perform(delete, as: objects.client)
    }

    @Test(
        "lcfile's own classes are not made, not even by the master key",
        arguments: ["_Session", "_Identity", "_Upload", "_UploadPart", "_Usage", "_Deletion"]
    )
    func reservedClasses(text: String) async throws {
        for caller in [objects.client, objects.master] {
            await #expect(throws: ServiceError.self) {
                try await objects.create(#"{"name":"a"}"#, in: ClassName(text), as: caller)
            }
        }
    }

    @Test("two hundred increments at once lose none")
    func increments() async throws {
        let object = try await objects.create(#"{"n":0}"#)
        let change = try ObjectChange(try objects.json(#"{"n":{"__op":"Increment","amount":1}}"#), allowsPaths: true)
        let command = ObjectCommand(objects.task, .update(object.id, change, where: nil, returnsObject: false))
        let service = objects.service()
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { [client = objects.client] in _ = try await service.perform(command, as: client) }
            }
            try await group.waitForAll()
        }
        #expect(try await objects.find()[0].objectValue?["n"] == .integer(200))
    }
}
