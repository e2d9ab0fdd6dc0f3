import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct CloudQueryBatchTests {
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
            let found = try await client.cloudQuery("select count(*) from Task").json()
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
