import Domain
import Testing

@testable import PCREPatterns

@Suite struct PCREEngineTests {
    private func pattern(_ text: String, _ options: String = "") throws -> any CompiledPattern {
        try PCREEngine().compile(text, options: options, place: "where.k.$regex")
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
        #expect(try pattern(text, options).isFound(in: subject) == expected)
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
            try pattern(text).isFound(in: String(repeating: "a", count: 200) + "!")
        }
        #expect(error?.code == .badRequest)
        #expect(error?.message.contains("too many steps") == true)
    }
}
