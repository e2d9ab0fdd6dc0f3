import FoundationEssentials
import Support
import Testing

@testable import FileClient

@Suite struct ClassTests {
    @Test("a name is one part of a path, whatever it holds")
    func percentEncoded() {
        #expect("Post_1.a-b~c".percentEncoded == "Post_1.a-b~c")
        #expect("a/b?c#d%e,f g\n".percentEncoded == "a%2Fb%3Fc%23d%25e%2Cf%20g%0A")
        #expect("\u{8336}".percentEncoded == "%E8%8C%B6")
    }

    @Test("an empty name is refused, as it would name something else")
    func emptyName() async {
        let client = FileClient(server: "http://127.0.0.1:1", appID: "a", appKey: "b")
        let error = await #expect(throws: FileClientError.self) { try await client.fields(of: "") }
        #expect(error?.message == "the name of a class, field or index is empty")
    }

    @Test("a change holds only what it says")
    func changes() throws {
        var change = ClassField()
        #expect(try json(change) == "{}")
        change.isReadOnly = false
        change.defaultValue = .null
        #expect(try json(change) == #"{"default":null,"readOnly":false}"#)
    }

    @Test("what is not said of a field is nothing")
    func fields() throws {
        let text = #"{"type":"Pointer","className":"_User","autoIncrement":true,"default":{"a":[1]}}"#
        var expected = ClassField()
        expected.type = "Pointer"
        expected.className = "_User"
        expected.isAutoIncrement = true
        expected.defaultValue = .object(["a": .array([.integer(1)])])
        #expect(try JSONDecoder().decode(ClassField.self, from: Data(text.utf8)) == expected)
    }

    @Test("an index is unique if it says so", arguments: [("", false), (#","unique":true"#, true)])
    func indexes(more: String, isUnique: Bool) throws {
        let text = #"{"name":"a,b.c","fields":["a","b.c"]\#(more)}"#
        let index = try JSONDecoder().decode(ClassIndex.self, from: Data(text.utf8))
        #expect(index.name == "a,b.c")
        #expect(index.fields == ["a", "b.c"])
        #expect(index.isUnique == isUnique)
    }

    @Test(
        "JSON is written as it was read",
        arguments: [
            "null", "true", "0", "-9223372036854775808", "1.5", #""""#, #""a/\u0011""#, "[]", "{}",
            #"{"a":[1,{"b":null}],"c":"x"}"#,
        ]
    )
    func parsing(text: String) throws {
        #expect(try JSON(parsing: text).description == text)
    }

    @Test("what is not JSON is refused", arguments: ["", "new", "'new'", "{", "1 2", "{a:1}"])
    func noJSON(text: String) {
        #expect(throws: FileClientError.self) { try JSON(parsing: text) }
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
