import Domain
import Foundation
import Testing

@Suite struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "metaData")
    }

    @Test(
        "what is read is written as it was",
        arguments: [
            #"{"a":1,"b":1.5,"c":[true,null,"x/y"],"d":9007199254740993}"#, "[]", "{}", "0", "-1", #""""#,
            #""照片 \" \\ \n \r \t \u0001""#, "-9223372036854775808", "1e-07",
        ]
    )
    func roundTrip(text: String) throws {
        #expect(String(decoding: try parse(text).encoded(), as: UTF8.self) == text)
    }

    @Test(
        "values mean what RFC 8259 says",
        arguments: [
            (#" [ 1 , 2.0 , -0.5e1 ] "#, .array([.integer(1), .number(2), .number(-5)])),
            (#""\u0041\ud83d\ude00\/\b\f""#, .string("A😀/\u{8}\u{c}")),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
        ] as [(String, JSONValue)]
    )
    func meaning(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "half of a surrogate pair is U+FFFD, and the escape after it counts",
        arguments: [
            (#""ab\ud83d""#, "ab\u{fffd}"), (#""\ud83dx""#, "\u{fffd}x"), (#""\ude00""#, "\u{fffd}"),
            (#""\ud83d\u0041""#, "\u{fffd}A"), (#""\ud83d\n""#, "\u{fffd}\n"), (#""\ud83d照""#, "\u{fffd}照"),
            (#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"), (#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (#""\uD83D\uDE00\udbff\udfff""#, "😀\u{10ffff}"),
        ]
    )
    func halfOfPair(text: String, expected: String) throws {
        #expect(try parse(text) == .string(expected))
        #expect(try parse(#"{"a":\#(text)}"#) == .object(["a": .string(expected)]))
    }

    @Test(
        "what is no JSON is refused by the field's name and the place",
        arguments: [
            "", "{", "{a:1}", "[1", "[1,]", "nul", "01", "-", "1.", "1e", "+1", ".5", "1e999", "{\"a\"}", "{\"a\":1,}",
            "[1] x", "\"a", "\"\u{1}\"", #""\x""#, #""\u12""#, #""\ud800\u00""#, #""\ud800\""#,
            #"{"a":1,"b":2,"a":1}"#, "'a'", "NaN", "Infinity", "tru", "\u{feff}1",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try parse(text) }
        #expect(error?.code == .malformedJSON)
        #expect(error?.message.hasPrefix("metaData is not valid JSON: ") == true)
        #expect(error?.message.contains("at byte") == true)
    }

    @Test("bytes that are no UTF-8 are refused")
    func noUTF8() {
        #expect(throws: ServiceError.self) { try JSONValue(parsing: [0x22, 0xff, 0x22], field: "x") }
        #expect(throws: ServiceError.self) { try JSONValue(parsing: [0x22, 0xc0, 0x80, 0x22], field: "x") }
    }

    @Test("values nest to the limit and no deeper", arguments: ["[", "{\"a\":"])
    func depth(opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        let text = { String(repeating: opening, count: $0) + "1" + String(repeating: closing, count: $0) }
        _ = try parse(text(JSONValue.maxDepth))
        #expect(throws: ServiceError.self) { try parse(text(JSONValue.maxDepth + 1)) }
        #expect(throws: ServiceError.self) { try parse(String(repeating: opening, count: 100_000)) }
    }

    @Test("every value that Foundation writes is read alike", arguments: 0..<200)
    func againstFoundation(seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        let value = randomValue(depth: 0, &generator)
        #expect(try JSONValue(parsing: value.encoded(), field: "x") == value)
        let foundation = try JSONSerialization.jsonObject(with: Data(value.encoded()), options: .fragmentsAllowed)
        let rewritten = try JSONSerialization.data(withJSONObject: foundation, options: .fragmentsAllowed)
        #expect(try JSONValue(parsing: Array(rewritten), field: "x") == value)
    }

    private func randomValue(depth: Int, _ generator: inout Generator) -> JSONValue {
        switch Int.random(in: 0...(depth < 5 ? 6 : 4), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .integer(.random(in: -1_000_000...1_000_000, using: &generator))
        case 3: .number(Double(Int.random(in: -999...999, using: &generator)) + 0.5)
        case 4: .string(randomText(&generator))
        case 5: .array((0..<3).map { _ in randomValue(depth: depth + 1, &generator) })
        default:
            .object(
                Dictionary((0..<3).map { _ in (randomText(&generator), randomValue(depth: depth + 1, &generator)) }) {
                    $1
                }
            )
        }
    }

    private func randomText(_ generator: inout Generator) -> String {
        let characters: [Character] = ["a", "\"", "\\", "/", "\n", "\u{1}", "é", "照", "😀", " "]
        return String(
            (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in characters.randomElement(using: &generator)
            }
        )
    }

    /// The same numbers for the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(
        "memory is reserved while values are parsed, and a refusal ends the parsing",
        arguments: ["1", "{}", "[]", #""a string of more than fifteen bytes""#, #"{"a":1}"#, "[[1,2],{\"a\":{}}]"]
    )
    func reservedMemory(unit: String) throws {
        let text = Array("[\(Array(repeating: unit, count: 40_000).joined(separator: ","))]".utf8)
        let refusal = ServiceError(.overloaded, "Full.")
        try text.withUnsafeBufferPointer { text in
            var parts: [Int] = []
            let memory = try JSONValue.parse(text, field: "x", values: .max) { bytes in
                parts.append(bytes)
                return nil
            }.memory
            let rest = memory - parts.reduce(0, +)
            #expect(!parts.isEmpty && (0..<JSONValue.reservedPart).contains(rest))
            var calls = 0
            let error = #expect(throws: ServiceError.self) {
                _ = try JSONValue.parse(text, field: "x", values: .max) { _ in
                    calls += 1
                    return calls == 2 ? refusal : nil
                }
            }
            #expect(error?.code == .overloaded && calls == 2)
        }
    }
}
