import Testing

@testable import Migration

@Suite struct ExportPartTests {
    @Test(
        "a file's name says what it contains",
        arguments: [
            ("Post.jsonl", ExportPart.objects(className: "Post")), ("Post.0.jsonl", .objects(className: "Post")),
            ("export/Post.12.jsonl.gz", .objects(className: "Post")), ("Post_all.json", .objects(className: "Post")),
            ("_User.0.jsonl", .objects(className: "_User")), ("Post_schema.json", .schema(className: "Post")),
            ("_Join:likes:Post.jsonl", .join(field: "likes", className: "Post")),
            ("_Join:users:_Role.0.jsonl.gz", .join(field: "users", className: "_Role")),
            ("_permissions.json", .permissions), ("_indexes.json", .indexes),
            ("Post_all.json.gz", .objects(className: "Post")), ("Post_schema.json.gz", .schema(className: "Post")),
        ]
    )
    func names(path: String, part: ExportPart) {
        #expect(ExportPart(path: path) == part)
    }

    @Test(
        "JSON Lines are objects of the class whose whole name the file has, as lcfile exports them",
        arguments: [
            ("Post_all.jsonl", "Post_all"), ("Post_all.0.jsonl.gz", "Post_all"), ("Log_schema.jsonl", "Log_schema"),
            ("_schema.jsonl", "_schema"), ("_permissions.jsonl", "_permissions"), ("_indexes.jsonl.gz", "_indexes"),
        ]
    )
    func lines(path: String, className: String) {
        #expect(ExportPart(path: path) == .objects(className: className))
    }

    @Test("the relation of a class whose name ends in _all belongs to that class")
    func relation() {
        #expect(ExportPart(path: "_Join:likes:Post_all.jsonl") == .join(field: "likes", className: "Post_all"))
    }

    @Test("a class with a schema has its whole name", arguments: [("Post_all", "Post_all"), ("Post", "Post")])
    func schema(schema: String, className: String) {
        #expect(ExportPart(path: "Post_all.json") { $0 == schema } == .objects(className: className))
    }

    @Test(
        "other files are left out",
        arguments: ["notes.txt", "photo.jpg", ".Post.jsonl", "_Join:likes.jsonl", "_Join::Post.jsonl", "files/a.json"]
    )
    func others(path: String) {
        #expect(ExportPart(path: path) == nil)
    }

    @Test(
        "the first line names the class",
        arguments: [
            (#"#filetype:JSON-streaming {"type":"Class","class":"_File"}"#, "_File"), ("# a comment", nil),
            ("#filetype:JSON-streaming {broken", nil), (#"{"class":"Post"}"#, nil),
        ] as [(String, String?)]
    )
    func firstLine(line: String, name: String?) {
        #expect(ExportPart.className(inFirstLine: Array(line.utf8)) == name)
    }
}
