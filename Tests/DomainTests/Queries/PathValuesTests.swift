import Testing

@testable import Domain

@Suite struct PathValuesTests {
    private func found(_ value: String, _ path: String) throws -> PathValues {
        try PathValues(
            of: JSONValue(parsing: Array(value.utf8), field: "value"),
            along: path.split(separator: ".").map(String.init)[...]
        )
    }

    @Test(
        "a path finds the values of MongoDB's rules",
        arguments: [
            (#"{"b":1}"#, "b", "[1]", false), (#"{"b":1}"#, "c", "[]", true),
            (#"{"b":{"c":[1]}}"#, "b.c", "[[1]]", false), (#"[{"b":1},{"b":2}]"#, "b", "[1,2]", false),
            (#"[{"b":1},{"c":2}]"#, "b", "[1]", true),
            (#"[5,6]"#, "1", "[6]", false), (#"[5,6]"#, "01", "[]", true), (#"[5,6]"#, "2", "[]", true),
            (#"[{"0":1}]"#, "0", #"[{"0":1},1]"#, false), (#"[{"1":"x"},"y"]"#, "1", #"["y","x"]"#, false),
            (#"[[{"b":1}]]"#, "b", "[]", true), (#"[[{"b":1}]]"#, "0.b", "[1]", false),
            (#"[[[1,2],3]]"#, "0.0.1", "[2]", false), (#"7"#, "b", "[]", true),
            (#"[{"0":{"0":1}}]"#, "0.0", #"[{"0":1},1]"#, false),
        ]
    )
    func rules(value: String, path: String, values: String, isMissing: Bool) throws {
        let found = try found(value, path)
        #expect(try JSONValue.array(found.values) == JSONValue(parsing: Array(values.utf8), field: "values"))
        #expect(found.isMissing == isMissing)
    }

    @Test("a value that a path of indexes reaches in thousands of ways is found once")
    func manyWays() throws {
        var value = JSONValue.array((0..<10).map { ["0": .integer($0)] })
        for _ in 0..<13 { value = .array([["0": value]]) }
        let path = Array(repeating: "0", count: FieldPath.maxDepth - 1)
        let numbers = try PathValues(of: value, along: path[...]).values.compactMap(\.integerValue)
        #expect(Set(numbers).count == numbers.count)
        #expect(!numbers.isEmpty)
    }

    @Test("the search ends with the budget")
    func budget() throws {
        struct Spent: Error {}
        let budget = QueryBudget(milliseconds: 60_000, refusal: Spent())
        let value = JSONValue.array((0..<1000).map { ["b": .integer($0)] })
        try budget.counting {
            let found = try PathValues(of: value, along: ["b"], within: budget)
            #expect(found.values.count == 1000)
            budget.cancel()
            #expect(throws: CancellationError.self) { try PathValues(of: value, along: ["b"], within: budget) }
        }
    }
}
