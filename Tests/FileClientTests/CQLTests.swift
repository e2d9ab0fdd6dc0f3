import Support
import Testing

@testable import FileClient

@Suite(.timeLimit(.minutes(5))) struct CQLTests {
    @Test("a statement is sent with its values, and answered with objects and their number")
    func select() async throws {
        let server = try ScriptedServer { _, _ in .json(#"{"results":[{"n":1}],"className":"Task","count":7}"#) }
        defer { server.close() }
        let answer = try await server.client().cloudQuery("select * from Task where n=?", [.string("a&b")])
        #expect(answer == CQLAnswer(results: [.object(["n": .integer(1)])], className: "Task", count: 7))
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(
            request.path
                == "/1.1/cloudQuery?cql=select%20%2A%20from%20Task%20where%20n%3D%3F&pvalues=%5B%22a%26b%22%5D"
        )
    }

    @Test("an explanation is read, and asked for with explain=1")
    func explain() async throws {
        let answer =
            #"{"className":"Task","where":{"n":1},"queries":[{"kind":"find","className":"Task","sql":"SELECT 1","plan":["SCAN"]}]}"#
        let server = try ScriptedServer { _, _ in .json(answer) }
        defer { server.close() }
        let explanation = try await server.client().explainCloudQuery("select * from Task where n=1")
        #expect(explanation.condition == .object(["n": .integer(1)]))
        #expect(
            explanation.queries == [
                CQLExplanation.Query(kind: "find", className: "Task", sql: "SELECT 1", plan: ["SCAN"])
            ]
        )
        let path = try #require(server.requests.first?.path)
        #expect(path == "/1.1/cloudQuery?cql=select%20%2A%20from%20Task%20where%20n%3D1&explain=1")
    }

    @Test("a change is not sent to be explained, and an answer without an explanation is refused")
    func noExplanation() async throws {
        let server = try ScriptedServer { _, _ in .json(#"{"results":[],"className":"Task"}"#) }
        defer { server.close() }
        await #expect(throws: FileClientError.self) {
            try await server.client().explainCloudQuery("delete from Task where objectId='a'")
        }
        #expect(server.requests.isEmpty)
        await #expect(throws: FileClientError.self) {
            try await server.client().explainCloudQuery("select * from Task")
        }
    }
}
