import FileClient
import Testing

@testable import Migration

@Suite struct FileReferencesTests {
    private func references(_ text: String) throws -> FileReferences {
        FileReferences(in: try JSON(parsing: text))
    }

    @Test(
        "files and pointers are found at any depth",
        arguments: [
            #"{"a":{"__type":"File","id":"f1"}}"#, #"{"a":[[{"__type":"File","objectId":"f1"}]]}"#,
            #"{"a":{"b":{"__type":"Pointer","className":"_File","objectId":"f1"}}}"#,
        ]
    )
    func ids(text: String) throws {
        #expect(try references(text).ids == ["f1"])
    }

    @Test(
        "URLs are found in texts",
        arguments: [
            ("http://a.example/k/x.png", "k/x.png"), ("see https://a.example/k/x.png.", "k/x.png"),
            ("![](https://a.example/k/x.png?imageView2/0/w/9)", "k/x.png"),
            ("<img src='//a'> http://a/k.png#x", "k.png"),
            ("https://a.example/%E7%8C%AB.png", "猫.png"), ("图：https://a.example/猫.png。", "猫.png"),
        ]
    )
    func urls(text: String, key: String) throws {
        #expect(try references(JSON.object(["t": .string(text)]).description).keys.contains(key))
    }

    @Test("what is no URL names no key")
    func nothing() throws {
        let found = try references(#"{"a":"k/x.png","b":"http://a.example","c":7,"d":null}"#)
        #expect(found.keys.isEmpty && found.ids.isEmpty)
    }
}
