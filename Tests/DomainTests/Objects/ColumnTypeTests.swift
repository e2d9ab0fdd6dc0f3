import Domain
import Testing

/// A value or an operation on a column of each other type (protocol/data 3.7).
@Suite struct ColumnTypeTests {
    private static let pointer = #"{"__type":"Pointer","className":"Folder","objectId":"a"}"#
    private static let values = [
        "String": #""text""#, "Number": "1", "Boolean": "true", "Array": #"["x",1]"#, "Object": #"{"a":{"b":1}}"#,
        "Date": #"{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"}"#,
        "GeoPoint": #"{"__type":"GeoPoint","latitude":40.5,"longitude":-30.25}"#,
        "Bytes": #"{"__type":"Bytes","base64":"aGk="}"#, "Pointer": pointer,
        "Relation": #"{"__op":"AddRelation","objects":[\#(pointer)]}"#,
    ]
    private static let operations: [(column: String, operation: String)] = [
        ("Number", #"{"__op":"Increment","amount":1}"#), ("Number", #"{"__op":"Decrement","amount":1}"#),
        ("Number", #"{"__op":"BitAnd","value":1}"#), ("Number", #"{"__op":"BitOr","value":1}"#),
        ("Number", #"{"__op":"BitXor","value":1}"#), ("Array", #"{"__op":"Add","objects":[1]}"#),
        ("Array", #"{"__op":"AddUnique","objects":[1]}"#), ("Array", #"{"__op":"Remove","objects":[1]}"#),
        ("Relation", #"{"__op":"AddRelation","objects":[\#(pointer)]}"#),
        ("Relation", #"{"__op":"RemoveRelation","objects":[\#(pointer)]}"#),
        (
            "Relation",
            #"""
            {"__op":"Batch","ops":[{"__op":"AddRelation","objects":[\#(pointer)]},
            {"__op":"RemoveRelation","objects":[\#(pointer)]}]}
            """#
        ),
    ]

    @Test("a value fits the column of its type alone", arguments: values.keys.sorted())
    func value(column: String) async throws {
        let objects = try ObjectFixture()
        let object = try await typed(objects)
        let before = try await objects.find()
        for (type, value) in Self.values where type != "Relation" && type != column {
            let error = await refusal(of: #"{"\#(column)":\#(value)}"#, object, objects)
            #expect(error?.code == .typeMismatch, "\(type)")
            let sentence = error?.message ?? ""
            #expect(sentence.hasPrefix("Invalid value type for field '\(column)',value '"), "\(sentence)")
            #expect(sentence.contains(#"expect type is {:type "\#(column)""#), "\(sentence)")
            #expect(sentence.contains(#"but it is '{:type "\#(type)""#), "\(sentence)")
        }
        #expect(try await objects.find() == before)
    }

    @Test("an operation fits the columns of its type alone", arguments: operations)
    func operation(fitting: String, operation: String) async throws {
        let objects = try ObjectFixture()
        let object = try await typed(objects)
        for column in Self.values.keys.sorted() {
            let change = #"{"\#(column)":\#(operation)}"#
            if column == fitting {
                _ = try await objects.update(object, change)
                try await objects.create(change)
            } else {
                let before = try await objects.find()
                let error = await refusal(of: change, object, objects)
                #expect(error?.code == .typeMismatch, "\(column)")
                #expect(error?.message.contains("'\(column)'") == true, "\(error?.message ?? "")")
                #expect(try await objects.find() == before)
            }
        }
    }

    /// An object with a column of each type.
    private func typed(_ objects: ObjectFixture) async throws -> Pointer {
        let members = Self.values.map { #""\#($0)":\#($1)"# }.sorted().joined(separator: ",")
        return try await objects.create("{\(members)}")
    }

    /// Why a change is refused, as that of an object and as a new object.
    private func refusal(of change: String, _ object: Pointer, _ objects: ObjectFixture) async -> ServiceError? {
        let created = await #expect(throws: ServiceError.self, "\(change)") { try await objects.create(change) }
        let updated = await #expect(throws: ServiceError.self, "\(change)") {
            try await objects.update(object, change)
        }
        #expect(created?.message == updated?.message)
        return updated
    }
}
