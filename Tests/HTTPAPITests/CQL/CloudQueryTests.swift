import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct CloudQueryTests {
    @Test("answers have the form of the reference")
    func answers() async throws {
        try await TestServer().test { client in
            let inserted = try await client.cloudQuery("insert into Task(n,s) values(?, 'a'),(2,'b')", "[1]").json()
            #expect(inserted["className"] == "Task")
            let rows = (inserted["results"]?.arrayValue ?? []).compactMap(\.objectValue)
            #expect(rows.map { Set($0.keys) } == [["objectId", "createdAt"], ["objectId", "createdAt"]])
            let id = try #require(rows.first?["objectId"]?.stringValue)

            let found = try await client.cloudQuery("select count(*),n from Task where n>? order by -n", "[0]").json()
            #expect(Set(found.keys) == ["results", "className", "count"])
            #expect(found["count"] == .integer(2))
            #expect(found["results"]?.arrayValue?.map { $0.objectValue?["n"] } == [.integer(2), .integer(1)])
            #expect(try await client.cloudQuery("select n from Task").json()["count"] == nil)
            let count = try await client.cloudQuery("select count(*) from Task").text
            #expect(count == #"{"results":[],"className":"Task","count":2}"#)

            let updated = try await client.cloudQuery("update Task set n=5 where objectId=?", #"["\#(id)"]"#).json()
            let object = updated["results"]?.arrayValue?.first?.objectValue
            #expect(Set((object ?? [:]).keys) == ["objectId", "updatedAt"])
            let deleted = try await client.cloudQuery("delete from Task where objectId='\(id)' and n=5")
            #expect(deleted.text == #"{"className":"Task","results":[]}"#)
        }
    }

    @Test(
        "what cannot be answered is refused with the code of the reference",
        arguments: [
            (
                "select * fro Task", 300,
                "CQL syntax error.Detail: Parse error at line 1, column 10: expected FROM, found 'fro'."
            ),
            ("select * from Nothing", 101, "Class or object doesn't exists."),
            (
                "select * from Task where n in 5", 300,
                "CQL syntax error.Detail: Parse error at line 1, column 31: expected '(', found '5'."
            ),
            ("update Task set n=2 where objectId='t1' and n=7", 305, "No effect on updating/deleting a document."),
            ("delete from Task where objectId='t1' and n=7", 305, "No effect on updating/deleting a document."),
            ("insert into Task(n) values('x')", 111, nil), ("select * from Task where s regexp '('", 107, nil),
        ] as [(String, Int64, String?)]
    )
    func refusals(statement: String, code: Int64, message: String?) async throws {
        try await TestServer().test { client in
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"objectId":"t1","n":1}"#, Who.master.headers)
            let response = try await client.cloudQuery(statement)
            #expect(response.status == (code == 101 ? .notFound : .badRequest))
            #expect(try response.json()["code"] == .integer(code))
            if let message { #expect(try response.json()["error"] == .string(message)) }
        }
    }

    @Test("a request without a statement, or with values that are no list, is refused")
    func malformed() async throws {
        try await TestServer().test { client in
            let missing = try await client.send("GET", "/1.1/cloudQuery")
            #expect(try missing.json()["code"] == .integer(300))
            for values in ["{}", "5", "[1", "\"x\""] {
                #expect(try await client.cloudQuery("select * from Task", values).json()["code"] == .integer(107))
            }
            #expect(try await client.cloudQuery("select * from Task", nil, [:]).status == .unauthorized)
        }
    }

    @Test("values that the Python SDK encodes twice are read")
    func twice() async throws {
        try await TestServer().test { client in
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#)
            let found = try await client.cloudQuery("select * from Task where n=? limit ?", #""[1, 5]""#).json()
            #expect(found["results"]?.arrayValue?.count == 1)
        }
    }

    @Test("a tunnelled statement is read from the body")
    func tunnel() async throws {
        try await TestServer().test { client in
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#)
            let body =
                #"{"_method":"GET","_ApplicationId":"app","_ApplicationKey":"app-key","cql":"select count(*) from Task where n=?","pvalues":"[1]"}"#
            let response = try await client.execute(
                uri: "/1.1/cloudQuery",
                method: .post,
                headers: [.contentType: "text/plain"],
                body: .init(string: body)
            )
            #expect(try response.json()["count"] == .integer(1))
        }
    }

    @Test("permissions of classes and ACLs hold as for REST", arguments: CastMember.allCases)
    func permissions(member: CastMember) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            _ = try await client.send(
                "POST",
                "/1.1/classes/Note",
                #"{"objectId":"n1","n":1,"ACL":{"role:Editors":{"read":true,"write":true}}}"#,
                Who.master.headers
            )
            let mayRead = [.member, .master].contains(member)
            let headers = cast.headers(of: member)
            let found = try await client.cloudQuery("select count(*),* from Note", nil, headers).json()
            #expect(found["count"] == (mayRead ? .integer(1) : .integer(0)))
            #expect(found["results"]?.arrayValue?.count == (mayRead ? 1 : 0))
            let updated = try await client.cloudQuery("update Note set n=2 where objectId='n1'", nil, headers)
            #expect(updated.status == (mayRead ? .ok : .forbidden))
            let users = try await client.cloudQuery("select * from _User", nil, headers)
            let same = try await client.send("GET", "/1.1/classes/_User", nil, headers)
            #expect(users.status == same.status)
            let (listed, expected) = (try users.json()["results"], try same.json()["results"])
            #expect(listed == expected)
            let sessions = try await client.cloudQuery("select * from _Session", nil, headers)
            #expect(sessions.status == (try await client.send("GET", "/1.1/classes/_Session", nil, headers)).status)
        }
    }
}
