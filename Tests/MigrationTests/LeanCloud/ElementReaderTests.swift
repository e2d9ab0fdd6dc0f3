import Testing

@testable import Migration

@Suite struct ElementReaderTests {
    /// The elements with their lines, from pieces of a few bytes.
    private func elements(_ bytes: [UInt8], path: String = "Post.json", piece: Int = 3) throws -> [String] {
        var rest = bytes[...]
        let source = ByteReader { buffer in
            let part = rest.prefix(min(piece, buffer.count))
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        }
        var reader = ElementReader(source, path: path)
        var found: [String] = []
        while let element = try reader.next() {
            switch element.content {
            case .success(let bytes): found.append("\(element.line) \(String(decoding: bytes, as: UTF8.self))")
            case .failure(let error): found.append("\(element.line) \(error)")
            }
        }
        return found
    }

    @Test(
        "every form gives the same elements",
        arguments: [
            "{\"a\":1}\n{\"b\":\"]}\"}\n", "{\"a\":1}\r\n\r\n  {\"b\":\"]}\"}", "[{\"a\":1},{\"b\":\"]}\"}]",
            " [ {\"a\":1} , {\"b\":\"]}\"} ] ", "{ \"results\" : [{\"a\":1},{\"b\":\"]}\"}] }",
            "#filetype:JSON-streaming {\"class\":\"Post\"}\n{\"a\":1}\n{\"b\":\"]}\"}",
        ]
    )
    func forms(text: String) throws {
        for mark in [[], [0xEF, 0xBB, 0xBF] as [UInt8]] {
            let found = try elements(mark + Array(text.utf8))
            #expect(found.map { $0.drop { $0 != "{" } } == ["{\"a\":1}", "{\"b\":\"]}\"}"])
        }
    }

    @Test("lines are counted in every form")
    func lines() throws {
        #expect(try elements(Array("#x\n\n{}\n{}".utf8)) == ["3 {}", "4 {}"])
        #expect(try elements(Array("[\n{},\n{\n}\n,{}]".utf8)) == ["2 {}", "3 {\n}", "5 {}"])
    }

    @Test("in JSON Lines a member results is a member like others")
    func resultsInLines() throws {
        let line = "{\"results\":[1]}"
        #expect(try elements(Array(line.utf8), path: "Post.jsonl") == ["1 " + line])
    }

    @Test("an array that does not end is reported after its elements")
    func truncated() throws {
        #expect(try elements(Array("[{\"a\":1},".utf8)) == ["1 {\"a\":1}", "1 the array does not end"])
        #expect(try elements(Array("[{\"a\":1".utf8)).last?.hasPrefix("1 the array does not end") == true)
    }

    @Test("a line that is not UTF-8 is reported, and the others are read")
    func encoding() throws {
        let found = try elements(Array("{}\n{\"a\":\"".utf8) + [0xD6, 0xD0] + Array("\"}\n{}".utf8))
        #expect(found == ["1 {}", "2 the line is not UTF-8", "3 {}"])
    }

    @Test("an empty file has no elements", arguments: ["", "\n\n", "[]", "{\"results\":[]}"])
    func empty(text: String) throws {
        #expect(try elements(Array(text.utf8)) == [])
    }
}
