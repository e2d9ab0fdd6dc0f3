import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

@Suite struct CloudQueryExplanationTests {
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

    @Test("explain of every statement is refused without the master key", arguments: CastMember.allCases)
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
            let found = try await client.cloudQuery("select count(*) from Task where n=1 and objectId='t1'").json()
            #expect(found["count"] == .integer(1))
            #expect(try await client.cloudQuery("select count(*) from Task").json()["count"] == .integer(1))
        }
    }
}
