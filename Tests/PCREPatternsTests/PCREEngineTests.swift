import Domain
import Testing

@testable import PCREPatterns

@Suite struct PCREEngineTests {
    private func pattern(_ text: String, _ options: String = "") throws -> any CompiledPattern {
        try PCREEngine().compile(text, options: options, path: "where.k.$regex")
    }

    @Test(
        "expressions in the forms that SDKs write are found",
        arguments: [
            ("^\\Qa.b\\E", "", "a.bc", true), ("^\\Qa.b\\E", "", "axbc", false), ("B", "i", "abc", true),
            ("^b$", "m", "a\nb\nc", true), ("^b$", "", "a\nb\nc", false), ("a.b", "s", "a\nb", true),
            ("a b", "x", "ab", true), ("é", "i", "É", true), ("^.$", "", "😀", true), ("", "", "", true),
        ]
    )
    func found(text: String, options: String, subject: String, expected: Bool) throws {
        #expect(try pattern(text, options).isFound(in: subject, within: nil) == expected)
    }

    @Test(
        "an expression that is malformed names its place",
        arguments: ["(", "[a", "*", "a{2,1}", "\\C", "(?<n>a)(?<n>b)"]
    )
    func malformed(text: String) {
        let error = #expect(throws: ServiceError.self) { try pattern(text) }
        #expect(error?.code == .malformedJSON)
        #expect(error?.message.hasPrefix("where.k.$regex is not a regular expression") == true)
    }

    @Test(
        "an expression that would run for ever is stopped",
        arguments: ["(a+)+$", "(a|a)*$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?R)", "(?<x>(?&x))"]
    )
    func bounded(text: String) throws {
        let error = #expect(throws: ServiceError.self) {
            try pattern(text).isFound(in: String(repeating: "a", count: 200) + "!", within: nil)
        }
        #expect(error?.code == .badRequest)
        #expect(error?.message.contains("too many steps") == true)
    }

    @Test(
        "steps from all offsets where a match may begin count together",
        arguments: ["\\p{L}+$", "a+[bc]", "(?:a|b)+$", "[a-z]*[0-9]"]
    )
    func boundedTogether(text: String) throws {
        let error = #expect(throws: ServiceError.self) {
            try pattern(text, "ims").isFound(in: String(repeating: "a", count: 50_000) + "!", within: nil)
        }
        #expect(error?.message.contains("too many steps") == true)
    }

    @Test("a match ends with its budget, however far one step looks")
    func budget() throws {
        let budget = QueryBudget(milliseconds: 1, refusal: Spent())
        let pattern = try pattern("(\\p{L}+\\p{L}+\\p{L}+)+$")
        #expect(throws: Spent.self) {
            try budget.counting {
                _ = try pattern.isFound(in: String(repeating: "a", count: 50_000) + "!", within: budget)
            }
        }
    }

    @Test(
        "the size is that of the compiled form, however short the expression is",
        arguments: [
            ("a", 100..<1000), (String(repeating: "a", count: 1000), 2000..<20_000),
            (#"^[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}$"#, 100..<3000),
            ("(abcd){1200}", 40_000..<120_000),
        ]
    )
    func size(text: String, expected: Range<Int>) throws {
        #expect(expected.contains(try pattern(text).size))
    }

    @Test("an honest search through a long string is done", arguments: ["end$", "needle.*end", "^x", "[0-9]+-[0-9]+"])
    func longStrings(text: String) throws {
        let subject = String(repeating: "hay and stack ", count: 9000) + "needle 12-13 end"
        #expect(try pattern(text).isFound(in: subject, within: nil) == (text != "^x"))
    }
}

extension CompiledPattern {
    fileprivate func isFound(in subject: String, within budget: QueryBudget?) throws -> Bool {
        try isFound(in: subject, path: "where.k.$regex", within: budget)
    }
}

private struct Spent: Error {}
