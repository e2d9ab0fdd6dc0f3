import Support
import Testing

@testable import Domain

/// Which values of objects are references to files.
@Suite struct ReferenceTests {
    private static let id = "5f0000000000000000000001"

    private func rules(_ change: (inout ReferenceRules) -> Void = { _ in }) -> ReferenceRules {
        var rules = ReferenceRules()
        rules.fileDomains = ["https://files.example.com/base"]
        change(&rules)
        return rules
    }

    /// Whether an object with a value in the field `f` of `Page` refers to the file.
    private func refers(_ value: JSONValue, _ rules: ReferenceRules, of name: String = "Page") throws -> Bool {
        var filter = ReferenceFilter(for: 0)
        let object = StoredObject(
            id: ObjectIDGenerator().next(),
            createdAt: .now(),
            updatedAt: .now(),
            fields: ["f": value]
        )
        filter.insert(rules.mentions(in: object, of: try ClassName(name)))
        let (id, key) = (try #require(ObjectID(Self.id)), try #require(FileKey("folder/照片.png")))
        return filter.contains(id) || filter.contains(key)
    }

    @Test(
        "pointers, files and URLs refer to a file, at any depth; other values do not",
        arguments: [
            (#"{"__type":"Pointer","className":"_File","objectId":"5f0000000000000000000001"}"#, true),
            (#"{"__type":"File","id":"5f0000000000000000000001","name":"a"}"#, true),
            (#"[1,{"a":{"b":[{"__type":"File","id":"5f0000000000000000000001"}]}}]"#, true),
            (#"{"__type":"Pointer","className":"Page","objectId":"5f0000000000000000000001"}"#, false),
            (#""5f0000000000000000000001""#, false), (#""folder/照片.png""#, false), ("null", false), ("7", false),
            (#""https://any.example.org/folder/%E7%85%A7%E7%89%87.png""#, true),
            (#""https://files.example.com/base/folder/照片.png?imageView2/1/w/20""#, true),
            (#""https://files.example.com/base/folder/照片.png-small""#, true),
            (#""see (http://x/folder/照片.png), or not""#, true),
            (#""<img src='http://x:80/folder/照片.png'><a href=\"https://y/z\">""#, true),
            (#""http://a/b http://a/folder/照片.png""#, true),
            (#""http://x/other/照片.png""#, false), (#""://""#, false), (#""http://""#, false),
            (#""http://x/%zz""#, false),
        ]
    )
    func values(text: String, expected: Bool) throws {
        let value = try JSONValue(parsing: Array(text.utf8), field: "value")
        #expect(try refers(value, rules()) == expected)
    }

    @Test("options leave out classes, fields and URLs, and add fields with names")
    func options() throws {
        let (page, field) = (try ClassName("Page"), try ReferenceRules.Field("Page.f"))
        let pointer = JSONValue.object([
            "__type": "Pointer", "className": "_File", "objectId": .string(Self.id),
        ])
        #expect(try refers(pointer, rules { $0.ignoredFields = [field] }) == false)
        #expect(rules { $0.ignoredClasses = [page] }.counts(page) == false)
        #expect(rules().counts(page))
        #expect(try refers("http://x/folder/照片.png", rules { $0.countsURLs = false }) == false)
        for name in [Self.id, "folder/照片.png"] {
            #expect(try refers(.string(name), rules { $0.nameFields = [field] }))
            #expect(try refers(.array([.string(name)]), rules { $0.nameFields = [field] }))
        }
        for text in ["Page", "Page.", ".f", "Page.f.g", "P-.f"] {
            #expect(throws: ServiceError.self) { try ReferenceRules.Field(text) }
        }
    }

    @Test("of a file only its metadata refers to others, and classes of the server refer to none")
    func files() throws {
        let pointer = JSONValue.object(["__type": "File", "id": .string(Self.id)])
        #expect(try refers(pointer, rules(), of: "_File") == false)
        for name in [ClassName.user, .role, .file] { #expect(rules().counts(name)) }
        for name in [ClassName.trash, .deletion, .session, .censorLog, .mail] { #expect(!rules().counts(name)) }
    }

    @Test("a filter has every name that was added, and nearly no other")
    func filter() throws {
        let ids = ObjectIDGenerator()
        let (added, others) = ((0..<20_000).map { _ in ids.next() }, (0..<20_000).map { _ in ids.next() })
        var filter = ReferenceFilter(for: 20_000)
        for id in added { filter.insert(id) }
        #expect(added.allSatisfy(filter.contains))
        #expect(others.count { filter.contains($0) } < 200)
        #expect(ReferenceFilter(for: .max).size <= ReferenceFilter.maxBytes)
        #expect(ReferenceFilter(for: 0).size == 128 << 10)
    }
}
