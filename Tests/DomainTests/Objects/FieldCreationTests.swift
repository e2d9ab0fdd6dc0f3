import Domain
import Support
import Testing

/// New fields whose names are not ASCII, and classes of LeanCloud's services: only the master key creates them.
@Suite struct FieldCreationTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
    }

    private func expectRefusal(_ code: ServiceError.Code, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == code)
    }

    @Test(
        "a client cannot create the field by any operation",
        arguments: ["1", "null", #"{"__op":"Increment"}"#, #"{"__op":"Delete"}"#]
    )
    func refused(value: String) async throws {
        let object = try await objects.create("{}")
        await expectRefusal(.invalidKey) { _ = try await objects.update(object, #"{"城市":\#(value)}"#) }
        await expectRefusal(.invalidKey) { try await objects.create(#"{"城市":\#(value)}"#) }
    }

    @Test("a client can write a field that the master key has created")
    func known() async throws {
        let object = try await objects.create(#"{"城市":"北京"}"#, as: objects.master)
        #expect(try await objects.update(object, #"{"城市":"上海"}"#)["城市"] == "上海")
        try await objects.create(#"{"城市":"广州"}"#)
    }

    @Test("a class has a name in one normalization form only, for every caller")
    func spelling() async throws {
        try await objects.create(#"{"caf\u00e9":1}"#, as: objects.master)
        for caller in [objects.client, objects.master] {
            await expectRefusal(.invalidKey) { try await objects.create(#"{"cafe\u0301":2}"#, as: caller) }
        }
        let schemas = SchemaService(store: objects.store, limits: ObjectLimits())
        var change = FieldChange()
        change.isRequired = true
        await expectRefusal(.invalidKey) { [change] in
            _ = try await schemas.change("cafe\u{301}", of: objects.task, by: change, as: objects.master)
        }
        await expectRefusal(.invalidKey) {
            _ = try await schemas.addIndex(["cafe\u{301}"], of: objects.task, as: objects.master)
        }
    }

    @Test("the master key creates any class whose name begins with an underscore, except lcfile's own")
    func builtInClasses() async throws {
        let name = try ClassName("_LeaderboardEntry")
        await expectRefusal(.invalidClassName) { try await objects.create("{}", in: name) }
        let object = try await objects.create(#"{"_n":1}"#, in: name, as: objects.master)
        #expect(try await objects.update(object, #"{"_n":2}"#)["_n"] == .integer(2))
        for own in ["_Identity", "_Upload", "_UploadPart", "_Usage", "_Deletion"] {
            let name = try ClassName(own)
            await expectRefusal(.invalidClassName) { try await objects.create("{}", in: name, as: objects.master) }
        }
    }
}
