import Domain
import PCREPatterns
import Support
import Testing

/// What queries find beyond the fields of their class.
@Suite struct ObjectReadTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
    }

    @Test("no caller reads a row of _Identity through a pointer or a relation")
    func identities() async throws {
        let identity = Pointer(.identity, ObjectIDGenerator().next())
        try await objects.store.write { writer in
            try writer.save(ClassSchema(name: .identity))
            let time = Timestamp(milliseconds: 0)
            let fields: [String: JSONValue] = ["identity": "weixin:o1"]
            try writer.insert(
                StoredObject(id: identity.id, createdAt: time, updatedAt: time, fields: fields),
                into: .identity
            )
        }
        let pointer = String(decoding: identity.json.encoded(), as: UTF8.self)
        try await objects.create(#"{"p":\#(pointer),"rel":{"__type":"Relation","className":"_Identity"}}"#)
        let view = ObjectView(include: "p", keys: "", returnsACL: false)
        let search = ObjectCommand.Search(page: try Page(), counts: true, redirectKey: "rel")
        for caller in [objects.client, objects.master] {
            #expect(try await objects.find(view, as: caller).first?.objectValue?["p"] == identity.json)
            let reply = try await objects.service().perform(ObjectCommand(objects.task, .find(search)), as: caller)
            let listing = try #require(reply.listing)
            #expect(listing.objects.isEmpty)
            #expect(listing.count == 0)
            // As for a class that does not exist.
            #expect(listing.redirectedClass == .identity)
        }
    }

    @Test("$all compares relations with a hundred values and no more", arguments: [(100, true), (101, false)])
    func allMembersOfRelations(count: Int, isAllowed: Bool) async throws {
        let pointers = (0..<count).map { #"{"__type":"Pointer","className":"Folder","objectId":"f\#($0)"}"# }
            .joined(separator: ",")
        try await objects.create(#"{"likes":{"__op":"AddRelation","objects":[\#(pointers)]}}"#)
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        let condition = try parser.parse(try objects.json(#"{"likes":{"$all":[\#(pointers)]}}"#))
        let command = ObjectCommand(objects.task, .find(ObjectCommand.Search(where: condition, page: try Page())))
        if isAllowed {
            let reply = try await objects.service().perform(command, as: objects.client)
            #expect(reply.listing?.objects.count == 1)
        } else {
            let error = await #expect(throws: ServiceError.self) {
                try await objects.service().perform(command, as: objects.client)
            }
            #expect(error?.code == .malformedJSON)
        }
    }

    /// The number of tasks that a condition finds.
    private func count(_ condition: String) async throws -> Int? {
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        let condition = try parser.parse(try objects.json(condition))
        let search = ObjectCommand.Search(where: condition, page: Page(first: 0), counts: true)
        return try await objects.service().perform(ObjectCommand(objects.task, .find(search)), as: objects.client)
            .listing?.count
    }

    @Test(
        "the values of all sub-queries of a where count by their memory, and equal values once",
        arguments: [
            (["a", "a", "a", "a"], 2, true), (["a", "b"], 1, true), (["a", "b"], 2, false),
            (["a", "b", "c", "d"], 1, false),
        ]
    )
    func memoryOfSubqueries(names: [String], subqueries: Int, isAllowed: Bool) async throws {
        try await objects.create(#"{"n":1}"#)
        // 80 KB of text, which take 3 MB as values.
        let parts = Array(repeating: #"{"n":1}"#, count: 10_000).joined(separator: ",")
        for name in names { try await objects.create(#"{"a":["\#(name)",\#(parts)]}"#, in: objects.folder) }
        let tests = (0..<subqueries)
            .map { #""x\#($0)":{"$dontSelect":{"query":{"className":"Folder","where":{}},"key":"a"}}"# }
            .joined(separator: ",")
        if isAllowed {
            #expect(try await count("{\(tests)}") == 1)
        } else {
            let error = await #expect(throws: ServiceError.self) { try await count("{\(tests)}") }
            #expect(error?.code == .malformedJSON)
            #expect(error?.message.hasSuffix("more than 8 MB of memory, the limit.") == true)
        }
    }

    @Test("a sub-query whose values have more text than the limit is refused, also if all values are equal")
    func textOfSubqueries() async throws {
        try await objects.create(#"{"n":1}"#)
        let long = String(repeating: "x", count: 100_000)
        for _ in 0..<90 { try await objects.create(#"{"s":"\#(long)","n":1}"#, in: objects.folder) }
        func condition(_ key: String) -> String {
            #"{"n":{"$select":{"query":{"className":"Folder","where":{}},"key":"\#(key)"}}}"#
        }
        #expect(try await count(condition("n")) == 1)
        let error = await #expect(throws: ServiceError.self) { try await count(condition("s")) }
        #expect(error?.code == .malformedJSON)
    }

    @Test("a relation has no values for a sub-query, also in an object that stored null before it was one")
    func relationsAsKeys() async throws {
        let folder = try await objects.create(#"{"n":1}"#, in: objects.folder)
        let pointer = String(decoding: folder.json.encoded(), as: UTF8.self)
        try await objects.create(#"{"rel":null}"#)
        try await objects.create(#"{"rel":{"__op":"AddRelation","objects":[\#(pointer)]}}"#)
        for (test, expected) in [("$select", 0), ("$dontSelect", 2)] {
            let query = #"{"query":{"className":"Task","where":{}},"key":"rel"}"#
            #expect(try await count(#"{"x":{"\#(test)":\#(query)}}"#) == expected)
        }
    }
}
