import FileClient
import Foundation
import Testing

@testable import Migration

@Suite struct ExportTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try folder.write("{\"objectId\":\"a1\",\"ACL\":{}}\n", to: "app/Post.0.jsonl")
        try folder.write("{\"objectId\":\"a2\",\"ACL\":{}}\noops\n", to: "app/Post.1.jsonl")
        try folder.write("{\"title\":{\"type\":\"String\"}}", to: "app/Post_schema.json")
        try folder.write(
            "#filetype:JSON-streaming {\"class\":\"_User\"}\n{\"objectId\":\"u1\"}",
            to: "app/people.jsonl"
        )
        try folder.write(
            "{\"owningId\":\"a1\",\"relatedId\":\"u1\"}\n{\"owningId\":\"a1\",\"relatedId\":\"u2\"}\n{}\n"
                + "{\"owningId\":\"a2\",\"relatedId\":\"u1\"}",
            to: "app/_Join:likes:Post.jsonl"
        )
        try folder.write("no part of it", to: "app/notes.txt")
    }

    private func run(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "cd \(folder.path) && \(command)"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func elements<Source: ItemSource>(_ source: Source) throws -> [String] {
        var source = source
        var found: [String] = []
        while let element = try source.next() {
            switch element {
            case .item(let item): found.append(item.name)
            case .unusable(let name, let reason): found.append("\(name): \(reason)")
            }
        }
        return found
    }

    @Test(
        "a folder and archives have the same objects",
        arguments: [
            ("app", "true"), ("a.tar.gz", "tar czf a.tar.gz app"), ("a.tar", "tar cf a.tar -C app ."),
            ("b", "cp -r app b && gzip b/Post.0.jsonl"), ("c.tar", "cp -r app c && gzip c/Post.* && tar cf c.tar c"),
        ]
    )
    func forms(name: String, command: String) throws {
        try run(command)
        let export = try Export("\(folder.path)/\(name)")
        #expect(export.classNames == ["_User", "Post"])
        let posts = try elements(ExportObjects(export, "Post"))
        // Archives have an order of their own.
        #expect(posts.filter { !$0.contains(" ") }.sorted() == ["a1", "a2"])
        #expect(posts.count { $0.hasPrefix("Post.1.jsonl") && $0.contains(", line 2: the row is no object") } == 1)
        #expect(try elements(ExportObjects(export, "_User")) == ["u1"])
        #expect(export.schemas["Post"]?["title"]?["type"] == .string("String"))
    }

    @Test("classes whose names end like those of other files keep their objects and schemas")
    func endings() throws {
        for name in ["Post", "Post_all", "Log", "Log_schema"] {
            try folder.write("{\"objectId\":\"\(name.count)\",\"ACL\":{}}\n", to: "e/\(name).jsonl")
            try folder.write("{\"of\(name)\":{\"type\":\"String\"}}", to: "e/\(name)_schema.json")
        }
        let export = try Export("\(folder.path)/e")
        #expect(export.classNames == ["Log", "Log_schema", "Post", "Post_all"])
        for name in export.classNames {
            #expect(try elements(ExportObjects(export, name)) == ["\(name.count)"])
            #expect(export.schemas[name]?["of\(name)"]?["type"] == .string("String"))
        }
    }

    @Test("a class with a schema has its whole name in an export of LeanCloud", arguments: [true, false])
    func wholeName(hasSchema: Bool) throws {
        try folder.write("[{\"objectId\":\"a1\",\"ACL\":{}}]", to: "l/Post_all.json")
        if hasSchema { try folder.write("{\"n\":{\"type\":\"Number\"}}", to: "l/Post_all_schema.json") }
        let name = hasSchema ? "Post_all" : "Post"
        let export = try Export("\(folder.path)/l")
        #expect(export.classNames == [name])
        #expect(try elements(ExportObjects(export, name)) == ["a1"])
    }

    @Test("a class with a name that the API takes for _File is unusable", arguments: ["files", "_file"])
    func aliasesOfFile(name: String) throws {
        try folder.write("{\"objectId\":\"a1\",\"x\":1}\n", to: "app/\(name).0.jsonl")
        try folder.write("{\"x\":{\"type\":\"Number\"}}", to: "app/\(name)_schema.json")
        try folder.write("{\"owningId\":\"a1\",\"relatedId\":\"u1\"}", to: "app/_Join:likes:\(name).jsonl")
        for rules in ["permissions", "indexes"] {
            try folder.write("{\"\(name)\":{},\"Post\":{}}", to: "app/_\(rules).json")
        }
        let export = try Export("\(folder.path)/app")
        #expect(export.classNames == ["_User", "Post"])
        #expect(export.joins.map { $0.className } == ["Post"])
        #expect(export.permissions.keys.sorted() == ["Post"] && export.indexes.keys.sorted() == ["Post"])
        let files = ["\(name).0.jsonl", "\(name)_schema.json", "_Join:likes:\(name).jsonl"]
        #expect(Set(export.unusable.map { $0.name }) == Set(files))
        #expect(export.unusable.allSatisfy { $0.reason.contains("the class '\(name)' for _File") })
    }

    @Test("one file is an export of one class", arguments: ["Post.jsonl", "Post.jsonl.gz"])
    func singleFile(name: String) throws {
        try run("cp app/Post.0.jsonl Post.jsonl && gzip -k Post.jsonl")
        let export = try Export("\(folder.path)/\(name)")
        #expect(try elements(ExportObjects(export, "Post")) == ["a1"])
    }

    @Test("pairs of one owner are one item, and a bad pair is reported")
    func relation() throws {
        let found = try elements(ExportRelation(try Export("\(folder.path)/app"), "Post", "likes"))
        #expect(
            found == [
                "a1 to u1", "_Join:likes:Post.jsonl, line 3: the row has no owningId and relatedId", "a2 to u1",
            ]
        )
    }

    @Test("a pair with an id that is no objectId is reported", arguments: ["owningId", "relatedId"])
    func relationIDs(name: String) throws {
        let other = name == "owningId" ? "relatedId" : "owningId"
        try folder.write("{\"\(name)\":\"../a\",\"\(other)\":\"a1\"}\n", to: "app/_Join:odd:Post.jsonl")
        let found = try elements(ExportRelation(try Export("\(folder.path)/app"), "Post", "odd"))
        #expect(found == ["_Join:odd:Post.jsonl, line 1: \(name) must be 1 to 64 ASCII letters and digits"])
    }

    @Test("more pairs than an operation takes are several items")
    func chunks() throws {
        let lines = (0..<2001).map { "{\"owningId\":\"a1\",\"relatedId\":\"u\($0)\"}" }
        try folder.write(lines.joined(separator: "\n"), to: "app/_Join:many:Post.jsonl")
        let found = try elements(ExportRelation(try Export("\(folder.path)/app"), "Post", "many"))
        #expect(found == ["a1 to u0", "a1 to u1000", "a1 to u2000"])
    }

    @Test("a truncated archive is refused with its name")
    func truncated() throws {
        try run("tar czf a.tar.gz app && head -c 150 a.tar.gz > b.tar.gz")
        let error = #expect(throws: MigrationError.self) { try Export("\(folder.path)/b.tar.gz") }
        #expect(error?.description.contains("b.tar.gz cannot be read") == true)
    }

    @Test("what is no export is refused", arguments: ["nothing", "app/notes.txt"])
    func refused(name: String) {
        #expect(throws: MigrationError.self) { try Export("\(folder.path)/\(name)") }
    }

    @Test(
        "a key cannot lead out of an export, also before a combining mark",
        arguments: [
            "../a", "a/../../b", "/a", "a//b", "a/./b", "", "../\u{308}a", "a/../../\u{308}b", "/\u{308}a",
            "a//\u{308}b", "a\u{0}b", String(repeating: "a", count: 256),
        ]
    )
    func keys(key: String) {
        #expect(ExportedFile.path(of: key, in: "/x") == nil)
    }

    @Test("other keys are paths in the folder of the files", arguments: ["a", "a/b.txt", "..a/b..", "a/\u{308}b"])
    func paths(key: String) throws {
        let path = try #require(ExportedFile.path(of: key, in: "/x"))
        #expect(Array(path.utf8) == Array("/x/files/\(key)".utf8))
    }

    @Test("links in the folder of the files are not followed")
    func links() throws {
        let row = "{\"objectId\":\"a1\",\"key\":\"a/b.txt\",\"ACL\":{},\"url\":\"http://u/b\"}"
        try folder.write(row, to: "x/_File.jsonl")
        try folder.write("bytes", to: "x/files/a/b.txt")
        var real = try ExportFileItems(try Export("\(folder.path)/x"), domain: nil)
        guard case .item(let file)? = try real.next() else { throw MigrationError("no file") }
        #expect(file.content == .path("\(folder.path)/x/files/a/b.txt"))
        try run("mv x/files/a outside && ln -s ../../outside x/files/a")
        var linked = try ExportFileItems(try Export("\(folder.path)/x"), domain: nil)
        guard case .item(let other)? = try linked.next() else { throw MigrationError("no file") }
        #expect(other.content == .url("http://u/b"))
    }

    @Test("lines of an earlier process stay, except an incomplete last one")
    func partialLines() throws {
        try folder.write("{\"a\":1}\n{\"b\":2}\n{\"c\"", to: "Post.jsonl.part")
        let file = try #require(try PartialLines(folder.path, "Post.jsonl"))
        #expect(file.lastLine == Array("{\"b\":2}".utf8))
        try file.append([.object(["d": .integer(4)])])
        try file.finish()
        let text = try String(contentsOfFile: "\(folder.path)/Post.jsonl", encoding: .utf8)
        #expect(text == "{\"a\":1}\n{\"b\":2}\n{\"d\":4}\n")
        #expect(try PartialLines(folder.path, "Post.jsonl") == nil)
    }
}
