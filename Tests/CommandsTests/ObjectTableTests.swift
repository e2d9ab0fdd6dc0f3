import FileClient
import Testing

@testable import Commands

@Suite struct ObjectTableTests {
    private func objects(_ texts: String...) throws -> [JSON] {
        try texts.map { try JSON(parsing: $0) }
    }

    @Test("there is a column for each field of any object, the id first and the times last")
    func columns() throws {
        let objects = try objects(
            #"{"updatedAt":"b","title":"x","objectId":"1","createdAt":"a"}"#,
            #"{"objectId":"2","n":1,"createdAt":"a"}"#
        )
        #expect(ObjectTable.columns(of: objects) == ["objectId", "n", "title", "createdAt", "updatedAt"])
        #expect(ObjectTable.columns(of: []).isEmpty)
    }

    @Test(
        "values are shown on one line",
        arguments: [
            (#""text""#, "text"), ("1", "1"), ("1.5", "1.5"), ("true", "true"), ("null", "null"), ("[1,2]", "[1,2]"),
            (#"{"__type":"Date","iso":"2026-01-01T00:00:00.000Z"}"#, "2026-01-01T00:00:00.000Z"),
            (#"{"__type":"Pointer","className":"Post","objectId":"a1"}"#, "Post/a1"),
            (#"{"__type":"File","id":"f1"}"#, "_File/f1"), (#"{"a":1}"#, #"{"a":1}"#),
            (
                #"{"__type":"GeoPoint","latitude":1,"longitude":2}"#,
                #"{"__type":"GeoPoint","latitude":1,"longitude":2}"#
            ),
        ]
    )
    func values(_ json: String, _ text: String) throws {
        #expect(ObjectTable.text(of: try JSON(parsing: json)) == text)
    }

    @Test("for programs there is no header and nothing is cut; a missing field is a dash, and no value ends a line")
    func forPrograms() throws {
        let long = String(repeating: "x", count: 60)
        let objects = try objects(#"{"objectId":"1","a":"\#(long)"}"#, #"{"objectId":"2","b":"two\nlines"}"#)
        let lines = ObjectTable(isForPeople: false, style: Style(isOn: false)).lines(objects)
        #expect(lines.count == 2)
        #expect(lines[0].contains(long))
        #expect(lines[1].hasPrefix("2  -"))
        #expect(lines[1].hasSuffix("two\u{FFFD}lines"))
    }

    @Test("placeholders take JSON, or else the text", arguments: [("3", "3"), ("true", "true"), ("a%", #""a%""#)])
    func placeholders(_ text: String, _ json: String) {
        #expect(QueryCommand.value(of: text).description == json)
    }
}
