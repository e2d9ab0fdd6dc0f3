import Domain
import Support
import Testing

/// The parameters `keys`, `include` and `order`.
@Suite struct ObjectViewTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
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

    @Test("an include replaces the pointers of an array, and keeps its other elements and their order")
    func arrays() async throws {
        let folder = try await objects.create(#"{"name":"a"}"#, in: objects.folder)
        let pointer = String(decoding: folder.json.encoded(), as: UTF8.self)
        let gone = pointer.replacing(folder.id.description, with: ObjectIDGenerator().next().description)
        let others = #"["a,]\"[{",{"s":"}],","list":[1,{"n":2}]},[\#(pointer)],[],{},null,-1.5,true,\#(gone)]"#
        let expected = try #require(try objects.json(others).arrayValue)
        try await objects.create(#"{"all":\#(others.dropLast()),\#(pointer)],"none":[]}"#)
        let shown = try await objects.find(ObjectView(include: "all,none", keys: "", returnsACL: false))[0].objectValue
        let elements = try #require(shown?["all"]?.arrayValue)
        #expect(Array(elements.dropLast()) == expected)
        #expect(elements.last?.objectValue?["name"] == "a")
        #expect(shown?["none"] == .array([]))
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
        if expected == ["firstname"] {
            let pointer = try #require(members?["firstname"]?.objectValue?["in"])
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
}
