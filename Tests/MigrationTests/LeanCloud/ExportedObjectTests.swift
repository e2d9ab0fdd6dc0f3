import FileClient
import Testing

@testable import Migration

@Suite struct ExportedObjectTests {
    private func object(_ row: String) throws -> (id: String, body: String) {
        let object = try ExportedObject(Array(row.utf8), at: "line 1")
        return (object.name, String(decoding: object.body, as: UTF8.self))
    }

    private static let system = #""objectId":"a1","createdAt":"2020-01-01T00:00:00.000Z","ACL":{}"#

    @Test(
        "values of REST are passed on byte for byte",
        arguments: [
            #""n":9007199254740993"#, #""n":-0.0"#, #""n":1.0e2"#, #""n":12345678901234567890"#, #""s":"\u4e2d\/""#,
            #""s":"cut \ud83d""#, #""s":"\ude00\ud83d\n""#, #""o":{"a":{"b":[null,true]}},  "x" : 1"#, #""城市":"北京""#,
            #""d":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}"#,
        ]
    )
    func exact(members: String) throws {
        let row = "{\(ExportedObjectTests.system),\(members)}"
        #expect(try object(row) == ("a1", row))
    }

    @Test("a row without an ACL gets the one that this means")
    func acl() throws {
        #expect(try object(#"{"objectId":"a1"}"#).body == #"{"objectId":"a1","ACL":{"*":{"read":true,"write":true}}}"#)
    }

    @Test(
        "an ACL that is null becomes the one that this means, and the other bytes stay",
        arguments: [#""n":9007199254740993"#, #""o":{"ACL":null}"#, #""s":"\u4e2d""#]
    )
    func nullACL(members: String) throws {
        let end = ",\(members)}"
        #expect(
            try object(#"{"objectId":"a1","ACL": null"# + end).body
                == #"{"objectId":"a1","ACL": {"*":{"read":true,"write":true}}"# + end
        )
    }

    @Test("an objectId with escapes is the string that they mean")
    func escapedID() throws {
        let row = #"{"objectId":"t\u0031a","ACL":{}}"#
        #expect(try object(row) == ("t1a", row))
    }

    @Test(
        "an id that is no objectId is refused",
        arguments: [
            #"{"objectId":"../../a"}"#, #"{"objectId":"a\u002f..\u002fb"}"#, #"{"objectId":"a b"}"#,
            #"{"objectId":"a\u0000"}"#, #"{"objectId":"é"}"#, #"{"_id":"../a"}"#, #"{"_id":{"$oid":"a/b"}}"#,
            #"{"objectId":"\#(String(repeating: "a", count: 65))"}"#,
        ]
    )
    func invalidID(row: String) {
        let error = #expect(throws: MigrationError.self) { try object(row) }
        #expect(error?.description == "objectId must be 1 to 64 ASCII letters and digits")
    }

    @Test(
        "rows of dumps get the form of REST",
        arguments: [
            (#"{"_id":"a1","ACL":{}}"#, #"{"ACL":{},"objectId":"a1"}"#),
            (#"{"_id":{"$oid":"a1"},"ACL":{}}"#, #"{"ACL":{},"objectId":"a1"}"#),
            (
                #"{"_id":"a1","ACL":{},"createdAt":{"$date":1551427200123}}"#,
                #"{"ACL":{},"createdAt":"2019-03-01T08:00:00.123Z","objectId":"a1"}"#
            ),
            (
                #"{"_id":"a1","ACL":{},"createdAt":{"$date":{"$numberLong":"-1"}}}"#,
                #"{"ACL":{},"createdAt":"1969-12-31T23:59:59.999Z","objectId":"a1"}"#
            ),
            (
                #"{"objectId":"a1","ACL":{},"createdAt":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}}"#,
                #"{"ACL":{},"createdAt":"2020-01-01T00:00:00.000Z","objectId":"a1"}"#
            ),
            (
                #"{"objectId":"a1","ACL":{},"at":[{"$date":"2020-01-01T00:00:00.000Z"}]}"#,
                #"{"ACL":{},"at":[{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}],"objectId":"a1"}"#
            ),
            (
                #"{"objectId":"a1","ACL":{},"p":{"$ref":"Post","$id":{"$oid":"b2"}}}"#,
                #"{"ACL":{},"objectId":"a1","p":{"__type":"Pointer","className":"Post","objectId":"b2"}}"#
            ),
            (#"{"objectId":"a1","ACL":{},"className":"Post","__type":"Object"}"#, #"{"ACL":{},"objectId":"a1"}"#),
        ]
    )
    func dumps(row: String, body: String) throws {
        #expect(try object(row) == ("a1", body))
    }

    @Test(
        "a row that cannot be sent is refused with its reason",
        arguments: [
            (#"{"n":1}"#, "the row has no objectId"), (#"[1]"#, "the row is no object"),
            (#"{"objectId":"a1""#, "a comma or '}' is missing"),
            (#"{"objectId":"a1"}x"#, "something follows the value"),
            (#"{"objectId":"a1","n":1e400}"#, "a number is too large"),
            (#"{"objectId":"a1","s":"\ud800\uzz00"}"#, "four hexadecimal digits are missing"),
            (#"{"objectId":"a1","s":"a"#, "a string does not end"), (#"{"objectId":"a1","n":01}"#, "no value"),
            (#"{"objectId":"a1","createdAt":5}"#, "createdAt is no time"), ("oops", "the row is no object"),
        ]
    )
    func refused(row: String, reason: String) throws {
        let error = #expect(throws: MigrationError.self) { try object(row) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("a nesting without end is refused")
    func depth() {
        let row = #"{"objectId":"a1","a":"# + String(repeating: "[", count: 100_000)
        #expect(throws: MigrationError.self) { try object(row) }
    }
}
