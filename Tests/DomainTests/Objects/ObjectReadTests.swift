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
}
