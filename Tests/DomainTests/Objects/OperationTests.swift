import Testing

@testable import Domain

@Suite struct OperationTests {
    @Test("a batch joins consecutive changes of an array, and keeps the order of the others")
    func joining() throws {
        func change(_ name: JSONValue, _ values: [Int64]) -> JSONValue {
            ["__op": name, "objects": .array(values.map(JSONValue.integer))]
        }
        let batch: JSONValue = [
            "__op": "Batch",
            "ops": .array([
                change("AddUnique", [1]), change("AddUnique", [1, 2]), change("Add", [3]), change("Add", [3]),
                change("AddUnique", [4]), change("Remove", [1]), change("Remove", [2]), ["__op": "Delete"],
                change("Remove", [3]),
            ]),
        ]
        #expect(
            try Operation.list(batch, field: "a") == [
                .addUnique([1, 1, 2].map(JSONValue.integer)), .add([3, 3].map(JSONValue.integer)),
                .addUnique([.integer(4)]), .remove([1, 2].map(JSONValue.integer)), .delete, .remove([.integer(3)]),
            ]
        )
    }

    @Test(
        "an unknown operation is refused with code 1, one that is malformed with 107",
        arguments: [
            (["__op": "add", "objects": .array([])], .badRequest), (["__op": ""], .badRequest),
            (["__op": "Batch", "ops": .array([["__op": "Explode"]])], .badRequest),
            (["__op": .integer(5)], .malformedJSON), (["__op": .null], .malformedJSON),
            (["__op": "Add"], .malformedJSON),
        ] as [(JSONValue, ServiceError.Code)]
    )
    func refusals(json: JSONValue, code: ServiceError.Code) {
        let error = #expect(throws: ServiceError.self) { try Operation.list(json, field: "a") }
        #expect(error?.code == code)
    }
}
