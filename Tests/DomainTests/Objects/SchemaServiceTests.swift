import Domain
import Support
import Testing

@Suite struct SchemaServiceTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
    }

    @Test("flags of fields hold for clients, not for the master key")
    func flags() async throws {
        let schemas = SchemaService(store: objects.store, limits: ObjectLimits())
        func set(_ field: String, _ type: FieldType, _ change: (inout FieldChange) -> Void) async throws {
            var flags = FieldChange()
            flags.type = type
            change(&flags)
            _ = try await schemas.change(field, of: objects.task, by: flags, as: objects.master)
        }
        try await set("must", .string) { $0.isRequired = true }
        try await set("fixed", .number) { $0.isReadOnly = true }
        try await set("secret", .string) { $0.isHidden = true }
        try await set("serial", .number) { $0.isAutoIncrement = true }
        try await set("shown", .number) { $0.defaultValue = .integer(7) }

        let missing = await #expect(throws: ServiceError.self) { try await objects.create("{}") }
        #expect(missing?.code == .missingField)
        let readOnly = await #expect(throws: ServiceError.self) { try await objects.create(#"{"must":"x","fixed":1}"#) }
        #expect(readOnly?.code == .readOnlyField)
        try await objects.create(#"{"must":"x","fixed":1,"secret":"s"}"#, as: objects.master)
        let seen = try #require(try await objects.find()[0].objectValue)
        #expect(seen["secret"] == nil)
        #expect(seen["serial"] == .integer(1))
        #expect(seen["shown"] == .integer(7))
        #expect(try await objects.find(as: objects.master)[0].objectValue?["secret"] == "s")
    }

    @Test(
        "a field counts up unless an object has a number without a next one",
        arguments: [(9_007_199_254_740_990, true), (9_007_199_254_740_991, false), (.max, false)] as [(Int64, Bool)]
    )
    func countingUp(largest: Int64, isPossible: Bool) async throws {
        try await objects.create(#"{"n":\#(largest)}"#)
        let schemas = SchemaService(store: objects.store, limits: ObjectLimits())
        var change = FieldChange()
        change.isAutoIncrement = true
        let flag = change
        if isPossible {
            let definition = try await schemas.change("n", of: objects.task, by: flag, as: objects.master)
            #expect(definition.isAutoIncrement)
        } else {
            let error = await #expect(throws: ServiceError.self) {
                _ = try await schemas.change("n", of: objects.task, by: flag, as: objects.master)
            }
            #expect(error?.code == .badRequest)
        }
    }

    @Test("only the master key sees and changes what is known of classes")
    func schemasAreClosed() async throws {
        let schemas = SchemaService(store: objects.store, limits: ObjectLimits())
        for call in [
            { _ = try await schemas.all(as: objects.client) },
            { _ = try await schemas.schema(of: objects.task, as: objects.client) },
            { _ = try await schemas.change("a", of: objects.task, by: FieldChange(), as: objects.client) },
            { _ = try await schemas.addIndex(["a"], of: objects.task, as: objects.client) },
            { try await schemas.removeIndex("a", of: objects.task, as: objects.client) },
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
        try await objects.create(
            #"""
            {"n":1,"s":"x","a":[1],"o":{"city":"Lyon","tags":["q"],"list":[{"x":1}]},"d":{"__type":"Date",
            "iso":"2024-01-01T00:00:00Z"},"place":{"__type":"GeoPoint","latitude":1,"longitude":1}}
            """#
        )
        let schemas = SchemaService(store: objects.store, limits: ObjectLimits())
        if isPossible {
            #expect(
                try await schemas.addIndex(fields, of: objects.task, as: objects.master).fields.map(\.description)
                    == fields
            )
        } else {
            await #expect(throws: ServiceError.self) {
                try await schemas.addIndex(fields, of: objects.task, as: objects.master)
            }
        }
    }

    @Test("an indexed place takes no array")
    func indexedPlace() async throws {
        let object = try await objects.create(#"{"o":{"city":"Lyon"}}"#)
        let schemas = SchemaService(store: objects.store, limits: ObjectLimits())
        _ = try await schemas.addIndex(["o.city"], of: objects.task, as: objects.master)
        for change in [#"{"o.city":["x"]}"#, #"{"o":{"city":[]}}"#] {
            let error = await #expect(throws: ServiceError.self) { try await objects.update(object, change) }
            #expect(error?.code == .typeMismatch)
        }
        _ = try await objects.update(object, #"{"o.other":["x"]}"#)
    }
}
