import FileClient
import Support
import Testing

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

    @Test("a file that is not there is named")
    func noFile() async {
        let client = FileClient(server: "http://127.0.0.1:1", appID: "a", appKey: "b")
        let error = await #expect(throws: FileClientError.self) { try await client.upload("/nonexistent/photo.jpg") }
        #expect(error?.message == "/nonexistent/photo.jpg is not a file that can be read")
    }
}
