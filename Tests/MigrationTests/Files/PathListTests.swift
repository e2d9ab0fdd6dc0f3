import FileClient
import Testing

@testable import Migration

@Suite struct PathListTests {
    @Test(
        "key and name of a URL are from its decoded path, or from the encoded one if its bytes are not UTF-8",
        arguments: [
            ("http://a/b%20c/%E7%85%A7.jpg?x", "b c/照.jpg", "照.jpg"), ("http://a//b", "b", "b"),
            ("http://a/%D6%D0.txt", "%D6%D0.txt", "%D6%D0.txt"),
            ("http://a/docs/%CE%C4.txt?x", "docs/%CE%C4.txt", "%CE%C4.txt"),
            ("http://a/%E7%85%A7/%D6%D0.txt", "%E7%85%A7/%D6%D0.txt", "%D6%D0.txt"),
        ]
    )
    func urls(url: String, path: String, name: String) throws {
        var template = FileTemplate()
        template.keepsPaths = true
        template.keyPrefix = "old"
        guard case .item(let item) = FileItem.element(at: url, describedBy: template) else {
            throw MigrationError("\(url) is no item")
        }
        #expect(item.content == .url(url))
        #expect(item.description.key == "old/\(path)")
        #expect(item.description.name == name)
    }

    @Test("the name of a URL without a path is 'file'", arguments: ["http://a", "http://a/"])
    func noPath(url: String) {
        #expect(FileItem.lastName(of: url) == "file")
    }
}
