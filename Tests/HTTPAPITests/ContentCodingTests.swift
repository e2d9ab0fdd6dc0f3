import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Bytes with a `Content-Encoding`, which downloads would not name.
@Suite struct ContentCodingTests {
    /// A request with bytes.
    enum Way: CaseIterable, Sendable {
        case raw, form, namedForm, put, kodoForm, block, chunk, part, patch, creation
    }

    private func send(_ way: Way, _ coding: String, _ client: TestClient) async throws -> TestResponse {
        let coded: HTTPFields = [.contentEncoding: coding]
        let form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhello\r\n--b--\r\n"
        let boundary: HTTPFields = [.contentType: "multipart/form-data; boundary=b"]
        let bytes: HTTPFields = [.contentType: "application/offset+octet-stream", .uploadOffset: "0"]
        func post(_ path: String, _ body: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
            try await client.execute(
                uri: path,
                method: .post,
                headers: Who.client.headers.merging(headers).merging(coded),
                body: ByteBuffer(string: body)
            )
        }
        let target = try await Target(client)
        let bearer = target.bearer.merging(coded)
        switch way {
        case .raw: return try await post("/1.1/files/a.txt", "hello")
        case .form: return try await post("/1.1/files", form, boundary)
        case .namedForm: return try await post("/1.1/files/a.txt", form, boundary)
        case .put: return try await target.call(.put, "", "hello", coded)
        case .kodoForm: return try await target.form([("file", "hello"), ("token", target.token)], coded)
        case .block: return try await target.call(.post, "/mkblk/5", "hello", bearer)
        case .chunk:
            let begun = try await target.call(.post, "/mkblk/10", "hello", target.bearer)
            let context = try #require(try begun.json()["ctx"]?.stringValue)
            return try await target.call(.post, "/bput/\(context)/5", "hello", bearer)
        case .part:
            let id = try await target.begin()
            return try await target.call(.put, "\(target.objects)/\(id)/1", "hello", bearer)
        case .patch:
            let path = try await client.tus(size: 5)
            return try await client.tus(.patch, path, "hello", bytes.merging(coded))
        case .creation:
            let size: HTTPFields = [.uploadLength: "5"]
            return try await client.tus(.post, "/1.1/uploads", "hello", bytes.merging(size).merging(coded))
        }
    }

    @Test("coded bytes are refused in every dialect", arguments: Way.allCases, ["gzip", "br", "identity, gzip"])
    func refused(way: Way, coding: String) async throws {
        let server = TestServer()
        try await server.test { client in
            let response = try await send(way, coding, client)
            #expect(response.status == .badRequest)
            #expect(response.text.contains("Content-Encoding"))
        }
        #expect(server.store.count(of: .file) == 0)
        #expect(server.blobs.count == 0)
    }

    @Test("only S3's clients can use aws-chunked", arguments: Way.allCases.filter { $0 != .put })
    func chunked(way: Way) async throws {
        try await TestServer().test { client in
            let response = try await send(way, "aws-chunked", client)
            #expect(response.status == .badRequest)
        }
    }

    @Test("identity is no coding", arguments: Way.allCases)
    func identity(way: Way) async throws {
        try await TestServer().test { client in
            let response = try await send(way, "Identity", client)
            #expect(response.status.kind == .successful, "\(response.text)")
        }
    }
}
