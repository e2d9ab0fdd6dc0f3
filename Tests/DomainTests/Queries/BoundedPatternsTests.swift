import Domain
import PCREPatterns
import Synchronization
import Testing

@Suite struct BoundedPatternsTests {
    private let engine = CountingEngine()

    private func patterns(_ limit: Int = 1 << 20) -> BoundedPatterns {
        BoundedPatterns(engine, limit: limit, setting: "some.limit")
    }

    @Test("equal expressions are compiled once, and others are not taken for them")
    func sharing() throws {
        let patterns = patterns()
        // The last two are equal as strings, and match different bytes.
        for (text, options) in [("a", ""), ("a", "i"), ("b", ""), ("\u{e9}", ""), ("e\u{301}", "")] {
            for _ in 0..<3 { _ = try patterns.compile(text, options: options, path: "where") }
        }
        #expect(engine.count == 5)
        #expect(try patterns.compile("\u{e9}", options: "", path: "w").isFound(in: "\u{e9}", path: "w", within: nil))
        #expect(try !patterns.compile("\u{e9}", options: "", path: "w").isFound(in: "e\u{301}", path: "w", within: nil))
    }

    @Test("the memory of different expressions counts, and what is refused is not retained")
    func limit() throws {
        let patterns = patterns(100_000)
        _ = try patterns.compile("(abcd){1200}", options: "", path: "where.a")
        for _ in 0..<2 {
            let error = #expect(throws: ServiceError.self) {
                try patterns.compile("(abcd){1201}", options: "", path: "where.b")
            }
            #expect(error?.code == .malformedJSON)
            #expect(error?.message.hasPrefix("where.b brings the compiled regular expressions to 1") == true)
            #expect(error?.message.hasSuffix(" bytes; the limit is 100000 (some.limit).") == true)
        }
        _ = try patterns.compile("(abcd){1200}", options: "", path: "where.c")
        _ = try patterns.compile("abcd", options: "", path: "where.d")
    }

    @Test("one can have another one as its engine: both limits hold")
    func nesting() throws {
        let inner = patterns(70_000)
        _ = try BoundedPatterns(inner, limit: 60_000, setting: "a.b").compile("(abcd){1200}", options: "", path: "a")
        let outer = BoundedPatterns(inner, limit: 60_000, setting: "a.b")
        let error = #expect(throws: ServiceError.self) {
            try outer.compile("(abcd){1201}", options: "", path: "a")
        }
        #expect(error?.message.hasSuffix("(some.limit).") == true)
        _ = try outer.compile("(abcd){1200}", options: "", path: "a")
        #expect(engine.count == 2)
    }

    @Test("an error of a match names the path of its own condition, also if another one has an equal expression")
    func paths() throws {
        let patterns = patterns()
        for path in ["where.a.$regex", "where.b.$regex"] {
            let pattern = try Pattern("(a+)+$", options: "", path: path, engine: patterns)
            let error = #expect(throws: ServiceError.self) {
                try pattern.isFound(in: String(repeating: "a", count: 200) + "!")
            }
            #expect(error?.message.hasPrefix(path) == true)
        }
        #expect(engine.count == 1)
    }
}

/// Counts the expressions that it compiles.
private final class CountingEngine: PatternEngine {
    private let compiled = Atomic(0)

    var count: Int { compiled.load(ordering: .relaxed) }

    func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern {
        compiled.add(1, ordering: .relaxed)
        return try PCREEngine().compile(text, options: options, path: path)
    }
}
