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

    @Test("a level of include costs one question, however many objects there are")
    func includes() async throws {
        var folders: [Pointer] = []
        for number in 0..<20 { folders.append(try await objects.create(#"{"number":\#(number)}"#, in: objects.folder)) }
        for folder in folders {
            let pointer = String(decoding: folder.json.encoded(), as: UTF8.self)
            try await objects.create(#"{"folder":\#(pointer),"all":[\#(pointer),1]}"#)
        }
        let before = objects.store.lookups
        let results = try await objects.find(
            ObjectView(include: "folder,all,missing,title.x", keys: "", returnsACL: false)
        )
        #expect(objects.store.lookups - before == 2)
        for (number, result) in results.enumerated() {
            let members = try #require(result.objectValue)
            #expect(members["folder"]?.objectValue?["number"] == .integer(Int64(number)))
            #expect(members["folder"]?.objectValue?["__type"] == "Pointer")
            #expect(members["all"]?.arrayValue?.first?.objectValue?["number"] == .integer(Int64(number)))
            #expect(members["all"]?.arrayValue?.last == .integer(1))
        }
    }

    @Test("keys choose, a minus leaves out, dots reach into what is included")
    func keys() async throws {
        let owner = try await objects.create(#"{"name":"home","size":3}"#, in: objects.folder)
        try await objects.create(
            #"{"title":"a","n":1,"folder":\#(String(decoding: owner.json.encoded(), as: UTF8.self))}"#
        )
        func names(_ keys: String) async throws -> Set<String> {
            Set(
                try await objects.find(ObjectView(include: "", keys: keys, returnsACL: false))[0].objectValue?.keys.map
                { $0 }
                    ?? []
            )
        }
        #expect(try await names("title") == ["title", "objectId", "createdAt", "updatedAt"])
        #expect(try await names("-title,-createdAt") == ["n", "folder", "objectId", "updatedAt"])
        let view = ObjectView(include: "folder", keys: "folder.name", returnsACL: false)
        let shown = try #require(try await objects.find(view)[0].objectValue?["folder"]?.objectValue)
        #expect(Set(shown.keys) == ["__type", "className", "objectId", "createdAt", "updatedAt", "name"])
    }

    @Test(
        "spaces around a name of a list are ignored, those inside belong to the name",
        arguments: [
            ("title , o.first name ", ["first name"]), (" -o.first name,-title", ["firstname"]),
            ("o.firstname", ["firstname"]),
        ]
    )
    func spaces(keys: String, expected: [String]) async throws {
        let folder = String(decoding: try await objects.create("{}", in: objects.folder).json.encoded(), as: UTF8.self)
        try await objects.create(#"{"title":"a","o":{"first name":1,"firstname":{"in":\#(folder)}}}"#)
        let shown = try await objects.find(ObjectView(include: "x, o.firstname.in ", keys: keys, returnsACL: false))[0]
        let members = shown.objectValue?["o"]?.objectValue
        #expect(members.map { Array($0.keys) } == expected)
        if let pointer = members?["firstname"]?.objectValue?["in"] {
            #expect(pointer.objectValue?["createdAt"] != nil)
        }
    }

    @Test("spaces inside a sort key belong to the name")
    func spacesInOrder() throws {
        let keys = try SortKey.list(" -o.first name ,n ,")
        #expect(keys.map(\.path.description) == ["o.first name", "n"])
        #expect(keys.map(\.isDescending) == [true, false])
    }

    @Test(
        "a minus with dots leaves members out, inside objects, arrays of objects and included objects",
        arguments: [
            ("-o.x", "o", ["y"]), ("-o.y.z", "o", ["x", "y"]), ("-o.y.z", "o.y", []), ("-list.x", "list.0", ["y"]),
            ("-o,-o.x", "o", nil), ("-o.y,-o.y.z", "o", ["x"]), ("-o.none,-none.x,-title.x,-.o", "o", ["x", "y"]),
            ("o,-o.x", "o", ["y"]), ("o.x,o.y,-o.x", "o", ["y"]), ("-when.iso", "when", ["__type", "iso"]),
            ("-folder.o.x", "folder.o", ["y"]), ("-folder.list.x", "folder.list.0", ["y"]),
            (
                "-folder.name,-folder.createdAt,-folder.updatedAt", "folder",
                ["__type", "className", "list", "o", "objectId"]
            ),
            // Without these members it would be no object for SDKs.
            (
                "-folder.objectId,-folder.__type,-folder.className,-folder.o", "folder",
                ["__type", "className", "createdAt", "list", "name", "objectId", "updatedAt"]
            ),
        ] as [(String, String, [String]?)]
    )
    func hiddenMembers(keys: String, path: String, expected: [String]?) async throws {
        let folder = try await objects.create(
            #"{"name":"home","o":{"x":1,"y":2},"list":[{"x":1,"y":2},5]}"#,
            in: objects.folder
        )
        let pointer = String(decoding: folder.json.encoded(), as: UTF8.self)
        try await objects.create(
            #"""
            {"title":"a","folder":\#(pointer),"o":{"x":1,"y":{"z":2}},"list":[{"x":1,"y":2},5],
            "when":{"__type":"Date","iso":"2026-01-31T08:00:00.000Z"}}
            """#
        )
        let view = ObjectView(include: "folder", keys: keys, returnsACL: false)
        var shown: JSONValue? = try await objects.find(view)[0]
        for name in path.split(separator: ".") {
            shown = shown?.arrayValue?.first ?? shown?.objectValue?[String(name)]
        }
        #expect(shown?.objectValue?.keys.sorted() == expected)
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
