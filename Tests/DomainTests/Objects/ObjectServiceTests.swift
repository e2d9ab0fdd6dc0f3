import Domain
import Support
import Testing

@Suite struct ObjectServiceTests {
    private let store = CountingStore()
    private let client: Caller
    private let master: Caller
    private let task: ClassName
    private let folder: ClassName

    init() throws {
        let app = try #require(AppID("app"))
        client = Caller(app: app, role: .client)
        master = Caller(app: app, role: .master)
        task = try ClassName("Task")
        folder = try ClassName("Folder")
    }

    private func service(_ limits: ObjectLimits = ObjectLimits()) -> ObjectService {
        let settings = ObjectSettings(
            limits: limits,
            files: FilePresentation(publicURL: "https://files.example.com", bucket: "app")
        )
        return ObjectService(store: store, settings: settings, removal: NoFiles())
    }

    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "body")
    }

    @discardableResult
    private func create(
        _ text: String,
        in name: ClassName? = nil,
        limits: ObjectLimits = ObjectLimits(),
        as caller: Caller? = nil
    ) async throws -> Pointer {
        let change = try ObjectChange(try json(text), allowsPaths: false)
        let command = ObjectCommand(name ?? task, .create(change, returnsObject: false))
        return try #require(try await service(limits).perform(command, as: caller ?? client).created)
    }

    private func update(_ object: Pointer, _ text: String) async throws -> [String: JSONValue] {
        let change = try ObjectChange(try json(text), allowsPaths: true)
        let command = ObjectCommand(object.className, .update(object.id, change, where: nil, returnsObject: true))
        return try #require(try await service().perform(command, as: client).json.objectValue)
    }

    private func find(_ view: ObjectView = .plain, as caller: Caller? = nil) async throws -> [JSONValue] {
        let command = ObjectCommand(task, .find(ObjectCommand.Search(page: try Page())), view: view)
        let reply = try await service().perform(command, as: caller ?? client)
        return try #require(reply.json.objectValue?["results"]?.arrayValue)
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
        let object = try await create(before)
        let reply = try await update(object, change)
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
            (#"{"o":{"a":"x"}}"#, #"{"o.a":{"__op":"Increment","amount":1}}"#, "Invalid value type for field 'o.a'"),
            (#"{"n":1}"#, #"{"n.a":1}"#, "Invalid value type for field 'n.a'"),
            (#"{"o":{"a":1}}"#, #"{"o.a.b":1}"#, "Invalid value type for field 'o.a.b'"),
            (
                #"{"p":{"__type":"Pointer","className":"Folder","objectId":"a"}}"#,
                #"{"p":{"__type":"Pointer","className":"Other","objectId":"a"}}"#,
                #"expect type is {:type "Pointer", :className "Folder"},but it is '{:type "Pointer", :className "Other"}'"#
            ),
        ]
    )
    func mismatches(before: String, change: String, sentence: String) async throws {
        let object = try await create(before)
        let error = await #expect(throws: ServiceError.self) { try await update(object, change) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }

    @Test("null fits every type and fixes none")
    func null() async throws {
        try await create(#"{"n":null}"#)
        try await create(#"{"n":1}"#)
        try await create(#"{"n":null}"#)
        await #expect(throws: ServiceError.self) { try await create(#"{"n":"x"}"#) }
    }

    @Test("each limit is named")
    func limits() async throws {
        let columns = await #expect(throws: ServiceError.self) {
            try await create(#"{"a":1,"b":2,"c":3}"#, limits: ObjectLimits(columns: 2))
        }
        #expect(columns?.message.contains("objects.maxColumns") == true)
        let size = await #expect(throws: ServiceError.self) {
            try await create(#"{"a":"0123456789"}"#, limits: ObjectLimits(objectSize: 17))
        }
        #expect(size?.code == .objectTooLarge)
        #expect(size?.message.contains("objects.maxSize") == true)
        try await create(#"{"a":"0123456789"}"#, limits: ObjectLimits(objectSize: 18))
        // _File is the first class.
        let classes = await #expect(throws: ServiceError.self) {
            try await create("{}", in: folder, limits: ObjectLimits(classes: 2))
        }
        #expect(classes?.message.contains("objects.maxClasses") == true)
    }

    @Test("a level of include costs one question, however many objects there are")
    func includes() async throws {
        var folders: [Pointer] = []
        for number in 0..<20 { folders.append(try await create(#"{"number":\#(number)}"#, in: folder)) }
        for folder in folders {
            let pointer = String(decoding: folder.json.encoded(), as: UTF8.self)
            try await create(#"{"folder":\#(pointer),"all":[\#(pointer),1]}"#)
        }
        let before = store.lookups
        let results = try await find(ObjectView(include: "folder,all,missing,title.x", keys: "", returnsACL: false))
        #expect(store.lookups - before == 2)
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
        let owner = try await create(#"{"name":"home","size":3}"#, in: folder)
        try await create(#"{"title":"a","n":1,"folder":\#(String(decoding: owner.json.encoded(), as: UTF8.self))}"#)
        func names(_ keys: String) async throws -> Set<String> {
            Set(
                try await find(ObjectView(include: "", keys: keys, returnsACL: false))[0].objectValue?.keys.map { $0 }
                    ?? []
            )
        }
        #expect(try await names("title") == ["title", "objectId", "createdAt", "updatedAt"])
        #expect(try await names("-title,-createdAt") == ["n", "folder", "objectId", "updatedAt"])
        let view = ObjectView(include: "folder", keys: "folder.name", returnsACL: false)
        let shown = try #require(try await find(view)[0].objectValue?["folder"]?.objectValue)
        #expect(Set(shown.keys) == ["__type", "className", "objectId", "createdAt", "updatedAt", "name"])
    }

    @Test("flags of fields hold for clients, not for the master key")
    func flags() async throws {
        let schemas = SchemaService(store: store, limits: ObjectLimits())
        func set(_ field: String, _ type: FieldType, _ change: (inout FieldChange) -> Void) async throws {
            var flags = FieldChange()
            flags.type = type
            change(&flags)
            _ = try await schemas.change(field, of: task, by: flags, as: master)
        }
        try await set("must", .string) { $0.isRequired = true }
        try await set("fixed", .number) { $0.isReadOnly = true }
        try await set("secret", .string) { $0.isHidden = true }
        try await set("serial", .number) { $0.isAutoIncrement = true }
        try await set("shown", .number) { $0.defaultValue = .integer(7) }

        let missing = await #expect(throws: ServiceError.self) { try await create("{}") }
        #expect(missing?.code == .missingField)
        let readOnly = await #expect(throws: ServiceError.self) { try await create(#"{"must":"x","fixed":1}"#) }
        #expect(readOnly?.code == .readOnlyField)
        try await create(#"{"must":"x","fixed":1,"secret":"s"}"#, as: master)
        let seen = try #require(try await find()[0].objectValue)
        #expect(seen["secret"] == nil)
        #expect(seen["serial"] == .integer(1))
        #expect(seen["shown"] == .integer(7))
        #expect(try await find(as: master)[0].objectValue?["secret"] == "s")
    }

    @Test("only the master key sees and changes what is known of classes")
    func schemasAreClosed() async throws {
        let schemas = SchemaService(store: store, limits: ObjectLimits())
        for call in [
            { _ = try await schemas.all(as: client) }, { _ = try await schemas.schema(of: task, as: client) },
            { _ = try await schemas.change("a", of: task, by: FieldChange(), as: client) },
            { _ = try await schemas.addIndex(["a"], of: task, as: client) },
            { try await schemas.removeIndex("a", of: task, as: client) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ServiceError.self) { try await call() }
            #expect(error?.code == .masterKeyRequired)
        }
    }

    @Test(
        "an index is on fields that hold one value",
        arguments: [
            (["n"], true), (["n", "o.city"], true), (["createdAt"], true), (["place"], true), (["a"], false),
            (["o"], false), (["missing"], false), ([], false), (["n", "n"], false), (["n", "s", "d"], false),
            (["o.tags"], false), (["o.list.x"], false), (["o.odd name"], false),
        ] as [([String], Bool)]
    )
    func indexes(fields: [String], isPossible: Bool) async throws {
        try await create(
            #"""
            {"n":1,"s":"x","a":[1],"o":{"city":"Lyon","tags":["q"],"list":[{"x":1}]},"d":{"__type":"Date",
            "iso":"2024-01-01T00:00:00Z"},"place":{"__type":"GeoPoint","latitude":1,"longitude":1}}
            """#
        )
        let schemas = SchemaService(store: store, limits: ObjectLimits())
        if isPossible {
            #expect(try await schemas.addIndex(fields, of: task, as: master).fields.map(\.description) == fields)
        } else {
            await #expect(throws: ServiceError.self) { try await schemas.addIndex(fields, of: task, as: master) }
        }
    }

    @Test("an indexed place takes no array")
    func indexedPlace() async throws {
        let object = try await create(#"{"o":{"city":"Lyon"}}"#)
        let schemas = SchemaService(store: store, limits: ObjectLimits())
        _ = try await schemas.addIndex(["o.city"], of: task, as: master)
        for change in [#"{"o.city":["x"]}"#, #"{"o":{"city":[]}}"#] {
            let error = await #expect(throws: ServiceError.self) { try await update(object, change) }
            #expect(error?.code == .typeMismatch)
        }
        _ = try await update(object, #"{"o.other":["x"]}"#)
    }

    @Test("two hundred increments at once lose none")
    func increments() async throws {
        let object = try await create(#"{"n":0}"#)
        let change = try ObjectChange(try json(#"{"n":{"__op":"Increment","amount":1}}"#), allowsPaths: true)
        let command = ObjectCommand(task, .update(object.id, change, where: nil, returnsObject: false))
        let service = service()
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { [client] in _ = try await service.perform(command, as: client) } }
            try await group.waitForAll()
        }
        #expect(try await find()[0].objectValue?["n"] == .integer(200))
    }
}

/// A store in memory that counts how often objects are looked up by ids.
private final class CountingStore: ObjectStore {
    private let store = MemoryObjectStore()
    private let counter = Counter()

    /// How often it was asked so far.
    var lookups: Int { counter.value }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ObjectReader) throws -> Result
    ) async throws -> Result {
        try await store.read { [counter] in try body(CountingReader(base: $0, counter: counter)) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any ObjectWriter) throws -> Result
    ) async throws -> Result {
        try await store.write(body)
    }
}

private struct CountingReader: ObjectReader {
    let base: any ObjectReader
    let counter: Counter

    func rows(_ ids: Set<ObjectID>, in name: ClassName, upTo size: Int) throws -> [ObjectRow] {
        _ = counter.next()
        return try base.rows(ids, in: name, upTo: size)
    }

    func schema(of name: ClassName) throws -> ClassSchema? { try base.schema(of: name) }
    func schemas() throws -> [ClassSchema] { try base.schemas() }
    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow? { try base.row(id, in: name) }
    func rows(_ query: ObjectQuery) throws -> [ObjectRow] { try base.rows(query) }
    func count(_ condition: Condition, in name: ClassName) throws -> Int { try base.count(condition, in: name) }
}
