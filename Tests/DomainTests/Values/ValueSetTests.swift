import Testing

@testable import Domain

@Suite struct ValueSetTests {
    private func value(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "value")
    }

    @Test(
        "values are equal as in queries",
        arguments: [
            ("1", "1.0", true), ("1", "true", false), ("null", "0", false), (#""1""#, "1", false),
            ("[1]", "[1.0]", true), ("[1]", "1", false), ("[]", "[[]]", false),
            (#"{"a":1,"b":2}"#, #"{"b":2.0,"a":1}"#, true),
            (#"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#, false), (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
        ]
    )
    func equality(left: String, right: String, areEqual: Bool) throws {
        #expect(try ValueSet([value(left)]).contains(value(right)) == areEqual)
        #expect(try ValueSet([value(left), value(right)]).values.count == (areEqual ? 1 : 2))
    }

    /// Otherwise a lookup compares the value with all others, and clients choose the values.
    @Test(
        "values of one form have hashes of their own",
        arguments: [
            #"{"a":N,"b":N}"#, #"{"a":N,"b":N,"c":N}"#, #"[{"a":N,"b":N}]"#, #"{"a":{"a":N,"b":N}}"#, #"[N,[]]"#, "[N]",
            #"{"aN":1}"#,
        ]
    )
    func hashes(form: String) throws {
        let hashes = try (0..<1000).map { number in
            try ValueSet.Member(value: value(form.replacing("N", with: "\(number)"))).hashValue
        }
        #expect(Set(hashes).count > 990)
    }

    @Test("nested empty arrays have hashes of their own")
    func emptyArrays() throws {
        let hashes = try ["[]", "[[]]", "[[],[]]", "[[[]]]"].map { try ValueSet.Member(value: value($0)).hashValue }
        #expect(Set(hashes).count == 4)
    }
}
