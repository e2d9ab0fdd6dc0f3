import Support
import Testing

@testable import FileClient

@Suite struct FileClientTests {
    @Test("a server that is not there is an error without a status")
    func noServer() async {
        let error = await #expect(throws: FileClientError.self) {
            try await FileClient.checkHealth(of: "http://127.0.0.1:1")
        }
        #expect(error?.status == 0)
        #expect(error?.message.isEmpty == false)
    }

    @Test("only HTTP is spoken", arguments: ["file:///etc/passwd", "ftp://127.0.0.1", "gopher://127.0.0.1", ""])
    func otherProtocols(server: String) async {
        await #expect(throws: FileClientError.self) { try await FileClient.checkHealth(of: server) }
    }

    @Test(
        "a redirect to another server names it, without the path of the request",
        arguments: [
            ("https://files.example.com/1.1/files/a?b=c", "the server redirects to https://files.example.com; "),
            ("https://files.example.com", "the server redirects to https://files.example.com; "),
            ("/login", "the server refused"), ("login", "the server refused"), (nil, "the server refused"),
        ] as [(String?, String)]
    )
    func redirects(location: String?, message: String) async throws {
        let server = try ScriptedServer { _, _ in
            ScriptedReply(status: 301, headers: location.map { ["Location: \($0)"] } ?? [])
        }
        defer { server.close() }
        let error = await #expect(throws: FileClientError.self) { try await server.client().file("a") }
        #expect(error?.status == 301)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("--server") == message.hasSuffix("; "))
    }

    @Test("a file that is not there is named")
    func noFile() async {
        let client = FileClient(server: "http://127.0.0.1:1", appID: "a", appKey: "b")
        let error = await #expect(throws: FileClientError.self) { try await client.upload("/nonexistent/photo.jpg") }
        #expect(error?.message == "/nonexistent/photo.jpg is not a file that can be read")
    }
}
