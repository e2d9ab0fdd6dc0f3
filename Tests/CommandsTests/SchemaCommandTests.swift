import ArgumentParser
import FileClient
import Support
import Testing

@testable import Commands

@Suite struct SchemaCommandTests {
    @Test("every command takes a profile, the server, the app and a file with its master key")
    func serverOptions() throws {
        let arguments = [
            "index", "list", "Post", "--profile", "p", "--server", "http://s", "--app-id", "i", "--master-key-file",
            "m",
        ]
        let command = try #require(try LCFileCommand.parseAsRoot(arguments) as? IndexCommand.List)
        #expect(command.className == "Post")
        #expect(command.options.server == "http://s")
        #expect(command.options.appID == "i")
        #expect(command.options.masterKeyFile == "m")
        #expect(command.options.profile == "p")
    }

    @Test("index add takes one field or two", arguments: [["city"], ["city", "profile.age"]])
    func addIndex(fields: [String]) throws {
        let arguments = ["index", "add", "Post"] + fields
        let command = try #require(try LCFileCommand.parseAsRoot(arguments) as? IndexCommand.Add)
        #expect(command.fields == fields)
    }

    @Test("index remove takes a name with commas")
    func removeIndex() throws {
        let arguments = ["index", "remove", "Post", "city,age"]
        let command = try #require(try LCFileCommand.parseAsRoot(arguments) as? IndexCommand.Remove)
        #expect(command.name == "city,age")
    }

    @Test("schema show takes a class or none", arguments: [nil, "Post"])
    func show(name: String?) throws {
        let arguments = ["schema", "show"] + (name.map { [$0] } ?? [])
        let command = try #require(try LCFileCommand.parseAsRoot(arguments) as? SchemaCommand.Show)
        #expect(command.className == name)
    }

    @Test("schema set changes only what is named")
    func changeOneFlag() throws {
        var expected = ClassField()
        expected.isHidden = false
        #expect(try change(["--no-hidden"]) == expected)
    }

    @Test("schema set takes everything that a field can have")
    func changeAll() throws {
        var expected = ClassField()
        expected.type = "Pointer"
        expected.className = "Folder"
        expected.isUnique = true
        expected.isRequired = false
        expected.isReadOnly = true
        expected.isHidden = true
        expected.isAutoIncrement = false
        expected.defaultValue = .null
        let arguments = [
            "--type", "Pointer", "--target", "Folder", "--unique", "--no-required", "--read-only", "--hidden",
            "--no-auto-increment", "--default", "null",
        ]
        #expect(try change(arguments) == expected)
    }

    @Test(
        "a default is any JSON",
        arguments: [
            ("-5", JSON.integer(-5)), ("1.5", JSON.number(1.5)), (#""--x""#, JSON.string("--x")),
            ("true", JSON.bool(true)), (#"[1,{"a":null}]"#, JSON.array([.integer(1), .object(["a": .null])])),
        ]
    )
    func defaults(text: String, value: JSON) throws {
        #expect(try change(["--default", text]).defaultValue == value)
    }

    @Test(
        "wrong usage is refused before anything is sent",
        arguments: [
            ["index", "list"], ["index", "add", "Post"], ["index", "add", "Post", "a", "b", "c"],
            ["index", "remove", "Post"], ["schema", "show", "Post", "more"], ["schema", "set", "Post", "--unique"],
            ["schema", "set", "Post", "title"], ["schema", "set", "Post", "title", "--default", "new"],
            ["schema", "set", "Post", "title", "--type", "Pointer"],
            ["schema", "set", "Post", "title", "--target", "A"],
            ["schema", "set", "Post", "title", "--type", "String", "--target", "A"],
        ]
    )
    func wrongUsage(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments) }
        #expect(error.map { LCFileCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test("columns are as wide as their widest cell and no line ends in spaces")
    func table() {
        let rows = [["title", "String", "unique"], ["n", "Number"], ["author", "Pointer<_User>", "hidden"], []]
        let lines = [
            "title   String          unique",
            "n       Number",
            "author  Pointer<_User>  hidden",
            "",
        ]
        #expect(Table.lines(rows) == lines)
        #expect(Table.lines([]).isEmpty)
    }

    @Test("a field is shown with its type and what is set")
    func row() {
        var field = ClassField()
        field.type = "Relation"
        field.className = "Post"
        #expect(field.row(named: "likes") == ["likes", "Relation<Post>"])
        field.isHidden = true
        field.isUnique = false
        field.isReadOnly = true
        field.defaultValue = .string("a/b")
        #expect(field.row(named: "likes") == ["likes", "Relation<Post>", "read-only hidden default=\"a/b\""])
    }

    private func change(_ arguments: [String]) throws -> ClassField {
        let parsed = try LCFileCommand.parseAsRoot(["schema", "set", "Post", "title"] + arguments)
        return try #require(parsed as? SchemaCommand.Change).change
    }
}
