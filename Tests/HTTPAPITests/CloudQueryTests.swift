import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct CloudQueryTests {
    private func query(
        _ client: TestClient,
        _ statement: String,
        _ values: String? = nil,
        _ headers: HTTPFields = Who.client.headers
    ) async throws -> TestResponse {
        let values = values.map { "&pvalues=\($0.percentEncodedPath)" } ?? ""
        return try await client.send(
            "GET",
            "/1.1/cloudQuery?cql=\(statement.percentEncodedPath)\(values)",
            nil,
            headers
        )
    }

    @Test("answers have the form of the reference")
    func answers() async throws {
        try await TestServer().test { client in
            let inserted = try await query(client, "insert into Task(n,s) values(?, 'a'),(2,'b')", "[1]").json()
            #expect(inserted["className"] == "Task")
            let rows = (inserted["results"]?.arrayValue ?? []).compactMap(\.objectValue)
            #expect(rows.map { Set($0.keys) } == [["objectId", "createdAt"], ["objectId", "createdAt"]])
            let id = try #require(rows.first?["objectId"]?.stringValue)

            let found = try await query(client, "select count(*),n from Task where n>? order by -n", "[0]").json()
            #expect(Set(found.keys) == ["results", "className", "count"])
            #expect(found["count"] == .integer(2))
            #expect(found["results"]?.arrayValue?.map { $0.objectValue?["n"] } == [.integer(2), .integer(1)])
            #expect(try await query(client, "select n from Task").json()["count"] == nil)
            let count = try await query(client, "select count(*) from Task").text
            #expect(count == #"{"results":[],"className":"Task","count":2}"#)

            let updated = try await query(client, "update Task set n=5 where objectId=?", #"["\#(id)"]"#).json()
            let object = updated["results"]?.arrayValue?.first?.objectValue
            #expect(Set((object ?? [:]).keys) == ["objectId", "updatedAt"])
            let deleted = try await query(client, "delete from Task where objectId='\(id)' and n=5")
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
            let response = try await query(client, statement)
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
                #expect(try await query(client, "select * from Task", values).json()["code"] == .integer(107))
            }
            #expect(try await query(client, "select * from Task", nil, [:]).status == .unauthorized)
        }
    }

    @Test("values that the Python SDK encodes twice are read")
    func twice() async throws {
        try await TestServer().test { client in
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#)
            let found = try await query(client, "select * from Task where n=? limit ?", #""[1, 5]""#).json()
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
            let found = try await query(client, "select count(*),* from Note", nil, headers).json()
            #expect(found["count"] == (mayRead ? .integer(1) : .integer(0)))
            #expect(found["results"]?.arrayValue?.count == (mayRead ? 1 : 0))
            let updated = try await query(client, "update Note set n=2 where objectId='n1'", nil, headers)
            #expect(updated.status == (mayRead ? .ok : .forbidden))
            let users = try await query(client, "select * from _User", nil, headers)
            let same = try await client.send("GET", "/1.1/classes/_User", nil, headers)
            #expect(users.status == same.status)
            let (listed, expected) = (try users.json()["results"], try same.json()["results"])
            #expect(listed == expected)
            let sessions = try await query(client, "select * from _Session", nil, headers)
            #expect(sessions.status == (try await client.send("GET", "/1.1/classes/_Session", nil, headers)).status)
        }
    }

    // MARK: - Explanations

    private func explain(
        _ client: TestClient,
        _ statement: String,
        _ headers: HTTPFields = Who.master.headers
    ) async throws -> TestResponse {
        try await client.send("GET", "/1.1/cloudQuery?explain=1&cql=\(statement.percentEncodedPath)", nil, headers)
    }

    @Test("with the master key, explain answers the condition and how each query runs, sub-queries first")
    func explanation() async throws {
        try await TestServer().test { client in
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#)
            let statement = "select count(*), n from Task where n in (select n from Task where n > 0)"
            let answer = try await explain(client, statement).json()
            #expect(Set(answer.keys) == ["className", "where", "queries"])
            #expect(answer["className"] == "Task")
            let expected = #"{"n":{"$select":{"key":"n","query":{"className":"Task","where":{"n":{"$gt":0}}}}}}"#
            #expect(answer["where"] == (try JSONValue(parsing: Array(expected.utf8), field: "where")))
            let queries = (answer["queries"]?.arrayValue ?? []).compactMap(\.objectValue)
            #expect(queries.map { $0["kind"] } == ["subquery", "find", "count"])
            for query in queries {
                #expect(Set(query.keys) == ["kind", "className", "sql", "plan"])
                #expect(query["plan"]?.arrayValue?.isEmpty == false)
            }
            let empty = try await explain(client, "select count(*) from Task").json()
            #expect(empty["where"] == .object([:]))
            #expect(empty["queries"]?.arrayValue?.map { $0.objectValue?["kind"] } == ["count"])
        }
    }

    @Test("explain is refused without the master key, whatever the statement is", arguments: CastMember.allCases)
    func explanationIsForMaster(member: CastMember) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#)
            for statement in ["select * from Task", "select * fro Task", "select * from Nothing"] {
                let answer = try await explain(client, statement, cast.headers(of: member))
                if member == .master {
                    #expect(answer.status == (statement == "select * from Task" ? .ok : answer.status))
                    #expect(answer.status != .forbidden)
                } else {
                    #expect(answer.status == .forbidden)
                    #expect(answer.text == #"{"code":119,"error":"The request must be signed by master key."}"#)
                }
            }
        }
    }

    @Test(
        "explain refuses statements that change objects, and does not perform them",
        arguments: [
            "insert into Task(n) values(2)", "update Task set n=2 where objectId='t1'",
            "delete from Task where objectId='t1'",
        ]
    )
    func explanationOfChanges(statement: String) async throws {
        try await TestServer().test { client in
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"objectId":"t1","n":1}"#, Who.master.headers)
            let answer = try await explain(client, statement)
            #expect(answer.status == .badRequest)
            #expect(try answer.json()["error"] == "explain takes a SELECT, and this statement changes objects.")
            let found = try await query(client, "select count(*) from Task where n=1 and objectId='t1'").json()
            #expect(found["count"] == .integer(1))
            #expect(try await query(client, "select count(*) from Task").json()["count"] == .integer(1))
        }
    }

    // MARK: - Users

    @Test(
        "an INSERT into _User is a sign-up: replies and errors are those of REST",
        arguments: [
            #"{"username":"ann","password":"p4ss"}"#, #"{"username":"ann","password":"p4ss","email":"a@b.example"}"#,
            #"{"username":"ann","password":"p4ss","nick":"A","age":7}"#, #"{"username":"ann"}"#,
            #"{"password":"p4ss"}"#, #"{"username":" ","password":"p4ss"}"#, #"{"username":"ann","password":""}"#,
            #"{"username":"owner","password":"p4ss"}"#, #"{"username":"ann","password":"p4ss","email":"x"}"#,
            #"{"username":"ann","password":"p4ss","mobilePhoneNumber":"x"}"#,
            #"{"username":"ann","password":"p4ss","sessionToken":"t"}"#,
            #"{"username":"ann","password":"p4ss","emailVerified":true}"#, #"{"username":"ann","password":7}"#,
            #"{"username":"ann","password":"p4ss","objectId":"u1"}"#,
            #"{"username":"ann","password":"p4ss","ACL":{"*":{"read":true}}}"#,
            #"{"authData":{"lc":{"openid":"o1","access_token":"t"}}}"#,
        ],
        [CastMember.guest, .other, .master]
    )
    func signUp(body: String, member: CastMember) async throws {
        let fields = try #require(try JSONValue(parsing: Array(body.utf8), field: "body").objectValue)
        let names = fields.keys.sorted()
        let statement =
            "insert into _User(\(names.joined(separator: ","))) values(\(names.map { _ in "?" }.joined(separator: ",")))"
        let values = JSONValue.array(names.compactMap { fields[$0] })
        let byREST = try await signUp(as: member, fields) { client, headers in
            try await client.send("POST", "/1.1/classes/_User", body, headers).json()
        }
        let byCQL = try await signUp(as: member, fields) { client, headers in
            let values = String(decoding: values.encoded(), as: UTF8.self)
            let json = try await query(client, statement, values, headers).json()
            return json["results"]?.arrayValue?.first?.objectValue ?? json
        }
        #expect(byCQL["code"] == byREST["code"])
        #expect(byCQL["error"] == byREST["error"])
        #expect(Set(byCQL.keys) == Set(byREST.keys))
    }

    /// Signs up on a server of its own; returns the created user or the error.
    private func signUp(
        as member: CastMember,
        _ fields: [String: JSONValue],
        _ request: @escaping @Sendable (TestClient, HTTPFields) async throws -> [String: JSONValue]
    ) async throws -> [String: JSONValue] {
        try await TestServer().test { client in
            let user = try await request(client, try await Cast(client).headers(of: member))
            let condition = #"{"username":"ann"}"#.percentEncodedPath
            let found = try await client.send("GET", "/1.1/users?where=\(condition)", nil, Who.master.headers).json()
            let shown = found["results"]?.arrayValue?.first?.objectValue ?? [:]
            #expect(shown["password"] == nil)
            if user["code"] == nil, fields["username"] != nil {
                let login = try await client.send("POST", "/1.1/login", #"{"username":"ann","password":"p4ss"}"#)
                #expect(login.status == (fields["password"] == "p4ss" ? .ok : login.status))
                #expect(shown["objectId"] == user["objectId"])
            }
            return user
        }
    }

    // MARK: - Batches

    private func batch(
        _ client: TestClient,
        _ items: [JSONValue],
        _ headers: HTTPFields = Who.client.headers
    ) async throws -> [[String: JSONValue]] {
        let body = JSONValue.object(["requests": .array(items)])
        let text = String(decoding: body.encoded(), as: UTF8.self)
        let response = try await client.send("POST", "/1.1/batch", text, headers)
        let answers = try JSONValue(parsing: Array(response.body.readableBytesView), field: "body")
        return try #require(answers.arrayValue, "\(response.text)").compactMap(\.objectValue)
    }

    private func item(_ statement: JSONValue, _ values: JSONValue? = nil, method: JSONValue = "GET") -> JSONValue {
        var parameters = ["cql": statement]
        parameters["pvalues"] = values
        return .object(["method": method, "path": "/1.1/cloudQuery", "params": .object(parameters)])
    }

    @Test("statements in a batch are answered as alone, in order with other requests")
    func batches() async throws {
        try await TestServer().test { client in
            let task: JSONValue = .object([
                "method": "POST", "path": "/1.1/classes/Task", "body": .object(["n": .integer(1)]),
            ])
            let count: JSONValue = "select count(*) from Task where n < ?"
            let answers = try await batch(
                client,
                [
                    task, item(count, "[10]"), item("insert into Task(n) values(?),(3)", .array([.integer(2)])),
                    item("insert into Task(n) values(4),('x'),(5)"), item(count, "[10]"), item("select n fro Task"),
                    item(count, "[10]", method: "POST"),
                    .object([
                        "method": "get", "path": .string("/1.1/cloudQuery?cql=select%20n%20from%20Task%20limit%201"),
                    ]),
                    item("select n from Nothing"),
                ]
            )
            #expect(answers.count == 9)
            let counts = [1, 4].map { answers[$0]["success"]?.objectValue }
            // Of three rows, those whose type fits are created.
            #expect(
                counts == [
                    ["results": .array([]), "className": "Task", "count": .integer(1)],
                    ["results": .array([]), "className": "Task", "count": .integer(5)],
                ]
            )
            let inserted = answers[2]["success"]?.objectValue?["results"]?.arrayValue ?? []
            #expect(
                inserted.map { Set(($0.objectValue ?? [:]).keys) } == [
                    ["objectId", "createdAt"], ["objectId", "createdAt"],
                ]
            )
            let codes = answers.map { $0["error"]?.objectValue?["code"] }
            #expect(codes == [nil, nil, nil, .integer(111), nil, .integer(300), .integer(404), nil, .integer(101)])
            #expect(answers[7]["success"]?.objectValue?["results"]?.arrayValue?.count == 1)
        }
    }

    @Test("rows of INSERT statements count as requests of the batch, and passwords of all of them are counted")
    func batchLimits() async throws {
        var server = TestServer()
        server.wire = WireLimits(batchSize: 120)
        try await server.test { client in
            let rows = { (count: Int) in Array(repeating: "(1)", count: count).joined(separator: ",") }
            let answers = try await batch(
                client,
                [
                    item(.string("insert into Task(n) values\(rows(60))")),
                    item(.string("insert into Task(n) values\(rows(60))")),
                    item(.string("insert into Task(n) values\(rows(58))")),
                ]
            )
            #expect(answers[0]["success"] != nil)
            #expect(answers[1]["error"]?.objectValue?["code"] == .integer(413))
            #expect(answers[2]["success"] != nil)
            let found = try await query(client, "select count(*) from Task").json()
            #expect(found["count"] == .integer(118))

            let users = (0..<101).map { "('u\($0)','p')" }.joined(separator: ",")
            let body = JSONValue.object([
                "requests": .array([item(.string("insert into _User(username,password) values\(users)"))])
            ])
            let refused = try await client.send("POST", "/1.1/batch", String(decoding: body.encoded(), as: UTF8.self))
            #expect(refused.text.contains("more than 100 passwords"))
        }
    }

    @Test("explain is refused in a batch")
    func explanationInBatch() async throws {
        try await TestServer().test { client in
            let item: JSONValue = .object([
                "method": "GET", "path": "/1.1/cloudQuery",
                "params": .object(["cql": "select * from Task", "explain": .integer(1)]),
            ])
            let answer = try await batch(client, [item], Who.master.headers)
            #expect(answer[0]["error"]?.objectValue?["error"]?.stringValue?.contains("separate request") == true)
        }
    }
}
