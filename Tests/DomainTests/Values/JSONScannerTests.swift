import Domain
import Support
import Testing

@Suite struct JSONScannerTests {
    /// Whether the scanner takes a text: as a whole, and as the value of a member.
    private func isTaken(_ text: String) throws -> Bool {
        let whole = Result { try scan(text) { scanner in try scanner.skipValue() } }
        let nested = Result {
            try scan(#"{"a":\#(text)}"#) { scanner in
                guard scanner.enter("{") else { return }
                while try scanner.nextName() != nil { try scanner.skipValue() }
            }
        }
        #expect((try? whole.get()) != nil || (try? nested.get()) == nil, "\(text)")
        return (try? whole.get()) != nil
    }

    private func scan(_ text: String, _ body: (inout JSONScanner) throws -> Void) throws {
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, field: "x")
            try body(&scanner)
            try scanner.requireEnd()
        }
    }

    @Test(
        "what is JSON is skipped to its end",
        arguments: [
            "0", "-1.5e+10", #""""#, #""照片 \" \\ \u0041\ud83d\ude00 é""#, "true", "false", "null", "[]", "{}",
            " [ 1 , [ ] , { } ] ",
            #"{"a":{"b":[1,"]}",{"c":null}]},"\u0061b":"{"}"#, #""\u0041照""#, #""照\n""#,
            #""\ud800""#, #""a\ud800x""#, #""\udc00""#, #""\ud800\u0041""#, #""照\ud800\ud800""#,
        ]
    )
    func valid(text: String) throws {
        #expect(try isTaken(text))
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", "{", "{a:1}", "[1", "[1,]", "[,1]", "[1 2]", "nul", "01", "-", "1.", "1e", "+1", ".5", "{\"a\"}",
            "{\"a\":1,}",
            "[1] x", "\"a", "\"\u{1}\"", "\"\\n\u{1}\"", #""\x""#, #""\u12""#, #""\ud800\u00""#,
            #""a\ud800\""#, "'a'", "NaN", "tru", "\u{feff}1", "]", "}", "[}", "{]", #"{"a":1]"#, #"["a":1]"#,
        ]
    )
    func invalid(text: String) throws {
        #expect(try !isTaken(text))
    }

    @Test(
        "bytes that are no UTF-8 are refused",
        arguments: [[0xff], [0xc0, 0x80], [0x5c, 0x6e, 0xff], [0xed, 0xa0, 0x80]]
    )
    func noUTF8(bytes: [UInt8]) {
        let text: [UInt8] = [0x22] + bytes + [0x22]
        text.withUnsafeBufferPointer { text in
            var scanner = JSONScanner(text, field: "x")
            let result = Result { try scanner.skipValue() }
            #expect(throws: ServiceError.self) { try result.get() }
        }
    }

    @Test("the scanner and the parser take the same texts", arguments: 0..<300)
    func againstParser(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        // No name becomes another one by three changes.
        var text = Array(
            #"{"aaaaa":[1,-2.5,"x\n\u0041é",{"bbbbb":{}},[]],"ccccc":true,"ddddd":null,"fffff":{"ggggg":[[1],[2,3]]}}"#
                .utf8
        )
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let marks = Array(#"{}[],:"\ 01eE.+-tnu"#.utf8) + [0x80, 0xff, 0x00]
            let place = Int.random(in: 0..<text.count, using: &generator)
            switch Int.random(in: 0...2, using: &generator) {
            case 0: text.remove(at: place)
            case 1: text.insert(try #require(marks.randomElement(using: &generator)), at: place)
            default: text[place] = try #require(marks.randomElement(using: &generator))
            }
        }
        let isParsed = (try? JSONValue(parsing: text, field: "x")) != nil
        let isScanned = text.withUnsafeBufferPointer { text in
            var scanner = JSONScanner(text, field: "x")
            return (try? scanner.skipValue()) != nil && (try? scanner.requireEnd()) != nil
        }
        #expect(isParsed == isScanned, "\(String(decoding: text, as: UTF8.self))")
    }

    @Test("values nest to the limit and no deeper, entered or skipped")
    func depth() throws {
        func text(_ levels: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: levels - 1) + "1" + String(repeating: "]", count: levels - 1)
                + "}"
        }
        #expect(try isTaken(text(JSONValue.maxDepth - 1)))
        #expect(try !isTaken(text(JSONValue.maxDepth + 1)))
        for (levels, isTaken) in [(JSONValue.maxDepth, true), (JSONValue.maxDepth + 1, false)] {
            let entered: Result<Void, any Error> = Result {
                try scan(text(levels)) { scanner in
                    _ = scanner.enter("{")
                    while try scanner.nextName() != nil { try scanner.skipValue() }
                }
            }
            #expect(((try? entered.get()) != nil) == isTaken)
        }
        #expect(try !self.isTaken(String(repeating: "[", count: 100_000)))
    }

    @Test("members are found with their commas and values, elements in order")
    func members() throws {
        let text = #" {"a":1 , "\u0062" : [2,[3]],"c":{} } "#
        var found: [String] = []
        try scan(text) { scanner in
            let isObject = scanner.enter("{")
            #expect(isObject)
            while let name = try scanner.nextName() {
                if name.text == "b" {
                    let isArray = scanner.enter("[")
                    #expect(isArray)
                    while try scanner.hasNextElement() { found.append(part(try scanner.skipValue(), of: text)) }
                } else {
                    let value = try scanner.skipValue()
                    found.append("\(name.text) \(name.comma ?? -1) \(part(value, of: text))")
                }
            }
        }
        #expect(found == ["a -1 1", "2", "[3]", "c 28 {}"])
    }

    private func part(_ place: Range<Int>, of text: String) -> String {
        String(decoding: Array(text.utf8)[place], as: UTF8.self)
    }

    @Test("a text is refused at one value more than the limit", arguments: ["[1,[2],{\"a\":3}]"])
    func values(text: String) throws {
        _ = try JSONValue(parsing: Array(text.utf8), field: "x", values: 6)
        let error = #expect(throws: ServiceError.self) {
            try JSONValue(parsing: Array(text.utf8), field: "x", values: 5)
        }
        #expect(error?.code == .payloadTooLarge)
        #expect(error?.message == "x has more than 5 values, the limit (http.maxJsonValues).")
    }

    @Test("a part of a text is read alone, and errors count from the text's start")
    func part() throws {
        let text = Array(#"[{"a":1},{"a":01}]"#.utf8)
        try text.withUnsafeBufferPointer { text in
            let (value, _) = try JSONValue.parse(text, in: 1..<8, field: "x", values: 9)
            #expect(value == ["a": .integer(1)])
            let result = Result { try JSONValue.parse(text, in: 9..<17, field: "x", values: 9).value }
            let error = #expect(throws: ServiceError.self) { try result.get() }
            #expect(error?.message == "x is not valid JSON: no value at byte 16.")
        }
    }

    @Test(
        "the estimate of memory grows with what values take",
        arguments: [
            ("[]", 0...0), ("{}", 0...0), ("12", 0...0), (#""short""#, 0...0), ("[1,2,3,4]", 96...400),
            (#"{"a":1}"#, 136...600), (#""\#(String(repeating: "x", count: 1000))""#, 1000...1100),
        ]
    )
    func memory(text: String, expected: ClosedRange<Int>) throws {
        let memory = try Array(text.utf8).withUnsafeBufferPointer {
            try JSONValue.parse($0, field: "x", values: 99).memory
        }
        #expect(expected.contains(memory), "\(memory)")
    }
}
