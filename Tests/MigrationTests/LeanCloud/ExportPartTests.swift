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
        ]
    )
    func names(path: String, part: ExportPart) {
        #expect(ExportPart(path: path) == part)
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
