import Domain
import PCREPatterns
import Testing

@Suite struct PatternPrefixTests {
    private func prefix(_ text: String, _ options: String = "") throws -> Pattern.Prefix? {
        try Pattern(text, options: options, path: "where", engine: PCREEngine()).prefix
    }

    @Test(
        "an expression that begins with ^ and literal characters has a prefix",
        arguments: [
            ("^\\Qabc\\E", "abc", true), ("^\\Qa.*|b\\E", "a.*|b", true), ("^abc", "abc", true),
            ("^a\\.b", "a.b", true),
            ("^abc$", "abc", false), ("^abc.*", "abc", false), ("^abc+", "ab", false), ("^abc?", "ab", false),
            ("^abc*d", "ab", false), ("^abc{2}", "ab", false), ("^ab[cd]", "ab", false), ("^ab(c|d", "", false),
            ("^\\Qab\\Ecd", "abcd", true), ("^Ü", "Ü", true), ("^a\\d", "a", false), ("^\\Qab\\E*", "a", false),
        ]
    )
    func prefixes(text: String, literal: String, isAll: Bool) throws {
        guard !literal.isEmpty else { return }
        let found = try #require(try prefix(text))
        #expect(found.text == literal)
        #expect(found.isAll == isAll)
    }

    @Test(
        "all others have none",
        arguments: [
            ("abc", ""), ("", ""), ("^", ""), ("^.", ""), ("^a?", ""), ("^a|b", ""), ("^ab(c|d)", ""), ("^abc", "i"),
            ("^abc", "m"), ("^abc", "x"), ("^(?i)abc", ""), ("^\\w", ""), ("\\Aabc", ""), ("^\\Q\\E", ""),
        ]
    )
    func none(text: String, options: String) throws {
        #expect(try prefix(text, options) == nil)
    }

    @Test(
        "the end of a prefix is the next string that does not begin with it",
        arguments: [
            ("^abc", "abd"), ("^z\u{10ffff}", "{"), ("^\u{d7ff}", "\u{e000}"), ("^\u{10ffff}", nil), ("^~", "\u{7f}"),
        ]
    )
    func end(text: String, expected: String?) throws {
        #expect(try #require(try prefix(text)).end == expected)
    }
}
