import FileClient
import Testing

@testable import Migration

@Suite struct ManifestTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try folder.write("abc", to: "a.txt")
        try folder.write("abcd", to: "sub/b.txt")
    }

    private func elements(_ text: String, as name: String) throws -> (items: [FileItem], unusable: [String]) {
        var manifest = try FileManifest(try folder.write(text, to: name), FileTemplate())
        var (items, unusable): ([FileItem], [String]) = ([], [])
        while let element = try manifest.next() {
            switch element {
            case .item(let item): items.append(item)
            case .unusable(let name, let reason): unusable.append("\(name): \(reason)")
            }
        }
        return (items, unusable)
    }

    @Test("a row of JSON Lines describes a file; relative paths begin at the manifest")
    func json() throws {
        let row = """
            {"path":"sub/b.txt","name":"猫.txt","mime_type":"text/plain","metaData":{"a":1},"ACL":{"*":{"read":true}},\
            "key":"k/猫","objectId":"64f0c1a2b3d4e5f60123456c","createdAt":"2024-03-01T08:00:00.121Z"}
            """
        let item = try #require(try elements("\u{FEFF}\(row)\n\n", as: "m.jsonl").items.first)
        #expect(item.content == .path("\(folder.path)/sub/b.txt"))
        #expect(item.size == 4)
        var expected = UploadDescription(name: "猫.txt")
        expected.mimeType = "text/plain"
        expected.metaData = .object(["a": .integer(1)])
        expected.acl = .object(["*": .object(["read": .bool(true)])])
        expected.key = "k/猫"
        expected.objectId = "64f0c1a2b3d4e5f60123456c"
        expected.createdAt = "2024-03-01T08:00:00.121Z"
        #expect(item.description == expected)
    }

    @Test("the cells of a row go on over its lines while a quotation mark is open")
    func openQuote() throws {
        let text = "path,name\na.txt,\"x\n\"\"y\"\"\nz\"\na.txt,b\n"
        #expect(try elements(text, as: "m.csv").items.map(\.description.name) == ["x\n\"y\"\nz", "b"])
        let open = String(repeating: "a.txt,b\n", count: 20_000)
        #expect(try elements("path,name\na.txt,\"\(open)", as: "open.csv").unusable.count == 1)
    }

    @Test("a row of CSV describes a file; empty cells count as missing")
    func csv() throws {
        let text = "url,name,metaData,key\r\nhttps://x.example/a%20b.jpg,,\"{\"\"a\"\":1}\",\r\n"
        let item = try #require(try elements(text, as: "m.csv").items.first)
        #expect(item.content == .url("https://x.example/a%20b.jpg"))
        #expect(item.description.name == "a b.jpg")
        #expect(item.description.metaData == .object(["a": .integer(1)]))
        #expect(item.description.key == nil)
    }

    @Test("a changed row changes the fingerprint")
    func fingerprint() throws {
        let first = try elements(#"{"path":"a.txt","name":"x"}"#, as: "m.jsonl").items[0]
        let second = try elements(#"{"path":"a.txt","name":"y"}"#, as: "m.jsonl").items[0]
        #expect(first.name == second.name)
        #expect(first.fingerprint != second.fingerprint)
    }

    @Test(
        "a bad row is reported, and the others are taken",
        arguments: [
            ("{\"path\":\"a.txt\"", "line 1: the line is not a JSON object"),
            ("[1]", "line 1: the line is not a JSON object"),
            ("{\"path\":\"a.txt\",\"size\":3}", "line 1: unknown member 'size'; known are path, url, name,"),
            ("{\"name\":\"a.txt\"}", "line 1: a row needs either path or url"),
            ("{\"path\":\"a.txt\",\"url\":\"http://a/b\"}", "line 1: a row needs either path or url"),
            ("{\"path\":7}", "line 1: path must be a string"),
            ("{\"path\":\"a.txt\",\"ACL\":\"*\"}", "line 1: ACL must be an object"),
            ("{\"url\":\"ftp://a/b\"}", "line 1: url must begin with http:// or https://"),
            ("{\"path\":\"a.txt\",\"objectId\":\"../a\"}", "line 1: objectId must be 1 to 64 ASCII letters and digits"),
            ("{\"path\":\"none.txt\"}", "No such file or directory"), ("{\"path\":\"sub\"}", "not a file"),
        ]
    )
    func badRows(row: String, expected: String) throws {
        let result = try elements("\(row)\n{\"path\":\"a.txt\"}\n", as: "m.jsonl")
        #expect(result.items.count == 1)
        #expect(result.unusable.count == 1 && result.unusable[0].contains(expected))
    }

    @Test(
        "a manifest whose names cannot be used is refused",
        arguments: [
            ("path,size\na,1\n", "the unknown column 'size'"), ("name\na\n", "neither a column 'path' nor 'url'"),
            ("", "no line of names"),
        ]
    )
    func badNames(text: String, expected: String) throws {
        let error = #expect(throws: MigrationError.self) { try elements(text, as: "m.csv") }
        #expect(error?.description.contains(expected) == true)
    }

    @Test("a row with too few cells is reported")
    func cells() throws {
        let result = try elements("path,name\na.txt\na.txt,b\n", as: "m.csv")
        #expect(result.items.count == 1)
        #expect(result.unusable == ["line 2: 1 cells instead of 2"])
    }

    @Test(
        "cells are separated by commas outside of quotation marks",
        arguments: [
            ("a,b", ["a", "b"]), ("", [""]), ("a,", ["a", ""]), ("\"a,b\",c", ["a,b", "c"]),
            ("\"say \"\"hi\"\"\"", ["say \"hi\""]), ("\"a\nb\",c", ["a\nb", "c"]), ("\"\"", [""]),
        ]
    )
    func quotes(text: String, cells: [String]) {
        #expect(CSVRows.cells(of: text) == .cells(cells))
    }

    @Test("misplaced quotation marks are refused", arguments: ["a\"b", "\"a\"b", "\"a", "a,b\""])
    func misplaced(text: String) {
        #expect(CSVRows.cells(of: text) == .unusable("a quotation mark is at the wrong place"))
    }
}
