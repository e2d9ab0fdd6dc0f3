import Domain
import Testing

@testable import HTTPAPI

@Suite struct BatchParameterTests {
    /// The answer to the only request of a batch.
    private func answer(_ client: TestClient, _ item: String) async throws -> JSONValue? {
        let batch = try await client.send("POST", "/1.1/batch", #"{"requests":[{\#(item)}]}"#, Who.client.headers)
        return try JSONValue(parsing: Array(batch.text.utf8), field: "").arrayValue?.first
    }

    @Test(
        "a change with params has the condition of its path",
        arguments: [
            (#""method":"DELETE""#, #"{}"#), (#""method":"PUT","body":{"n":2}"#, #"{"fetchWhenSave":true}"#),
            (#""method":"DELETE""#, #"{"where":null}"#), (#""method":"DELETE""#, #"{"where":""}"#),
        ]
    )
    func conditions(item: String, params: String) async throws {
        try await TestServer().test { client in
            let made = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#, Who.client.headers).json()
            let path = "/1.1/classes/Task/\(try #require(made["objectId"]?.stringValue))"
            let place = #""path":"\#(path)?where=%7B%22n%22%3A99%7D""#
            let refusal = try await answer(client, #"\#(item),\#(place),"params":\#(params)"#)
            #expect(refusal?.objectValue?["error"]?.objectValue?["code"] == .integer(305))
            #expect(try await client.send("GET", path, nil, Who.client.headers).json()["n"] == .integer(1))
        }
    }

    @Test(
        "a value of params replaces that of the path, unless it is null or empty",
        arguments: [
            (#"{"count":true}"#, 1), (#"{"limit":2}"#, 2), (#"{"limit":null}"#, 1), (#"{"limit":""}"#, 1),
        ]
    )
    func values(params: String, count: Int) async throws {
        try await TestServer().test { client in
            for _ in 0..<3 { _ = try await client.send("POST", "/1.1/classes/Task", "{}", Who.client.headers) }
            let place = #""path":"/1.1/classes/Task?limit=1""#
            let found = try await answer(client, #""method":"GET",\#(place),"params":\#(params)"#)
            #expect(found?.objectValue?["success"]?.objectValue?["results"]?.arrayValue?.count == count)
        }
    }
}
