import FoundationEssentials
import Support
import Testing

@testable import FileClient

@Suite struct SendingTests {
    @Test("a temporary error is repeated until the server answers")
    func repeats() async throws {
        let server = try ScriptedServer { _, number in
            number < 3 ? .json(#"{"code":429,"error":"Later."}"#, status: 429) : .json(#"{"objectId":"a","name":"n"}"#)
        }
        defer { server.close() }
        #expect(try await server.client().file("a").name == "n")
        #expect(server.requests.count == 3)
        #expect(server.requests[0].headers["x-lc-id"] == "app")
    }

    @Test("an error has status, code and message of the server")
    func error() async throws {
        let server = try ScriptedServer { _, _ in .json(#"{"code":101,"error":"No such file."}"#, status: 404) }
        defer { server.close() }
        let error = await #expect(throws: FileClientError.self) { try await server.client().file("a") }
        #expect(error?.status == 404)
        #expect(error?.code == 101)
        #expect(error?.message == "No such file.")
        #expect(error?.kind == .refused)
        #expect(server.requests.count == 1)
    }

    @Test("a connection that ends without an answer is repeated, but not for a change that could happen twice")
    func interrupted() async throws {
        let server = try ScriptedServer { _, number in number == 1 ? ScriptedReply(status: 0) : .json("{}") }
        defer { server.close() }
        #expect(try await server.client().file("a").objectId == "")
        let other = try ScriptedServer { _, _ in ScriptedReply(status: 0) }
        defer { other.close() }
        await #expect(throws: FileClientError.self) { try await other.client().addIndex(on: ["a"], of: "B") }
        #expect(other.requests.count == 1)
    }

    @Test("a server that never answered is not waited for")
    func unreachable() async {
        let client = FileClient(server: "http://127.0.0.1:1", appID: "a", appKey: "b")
        let error = await #expect(throws: FileClientError.self) { try await client.file("a") }
        #expect(error?.kind == .unreachable)
    }

    @Test("a cancelled task ends its transfer")
    func cancelled() async throws {
        let server = try ScriptedServer { _, _ in ScriptedReply(status: 503, headers: ["Retry-After: 60"]) }
        defer { server.close() }
        let task = Task { try await server.client().file("a") }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("an answer that is no JSON is no answer of lcfile")
    func unexpected() async throws {
        let server = try ScriptedServer { _, _ in .json("<html>") }
        defer { server.close() }
        let error = await #expect(throws: FileClientError.self) { try await server.client().file("a") }
        #expect(error?.kind == .unexpectedAnswer)
    }

    @Test("an answer that is no JSON is named with its server, its path and the fault")
    func named() async throws {
        let server = try ScriptedServer { _, _ in .json(#"{"results":[}"#) }
        defer { server.close() }
        let error = await #expect(throws: FileClientError.self) { try await server.client().objects(of: "Post", []) }
        let expected = "the answer of \(server.url) to GET /1.1/classes/Post is not JSON: no value at byte 12"
        #expect(error?.message == expected)
        #expect(error?.kind == .unexpectedAnswer)
    }
}
