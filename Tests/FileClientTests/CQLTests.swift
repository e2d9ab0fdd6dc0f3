import Support
import Testing

@testable import FileClient

@Suite(.timeLimit(.minutes(1))) struct CQLTests {
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
}
