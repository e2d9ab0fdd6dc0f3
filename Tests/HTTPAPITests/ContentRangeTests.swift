import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Uploads with a `Content-Range`: a part of a file is not stored as the whole.
@Suite struct ContentRangeTests {
    /// A request that can only have a whole file.
    enum Way: CaseIterable, Sendable {
        case raw, form, namedForm, put, kodoForm
    }

    private static let range: HTTPFields = [.contentRange: "bytes 1000-1004/2000"]

    private func send(_ way: Way, _ client: TestClient) async throws -> TestResponse {
        let form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhello\r\n--b--\r\n"
        let boundary: HTTPFields = [.contentType: "multipart/form-data; boundary=b"]
        func post(_ path: String, _ body: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
            try await client.execute(
                uri: path,
                method: .post,
                headers: Who.client.headers.merging(headers).merging(ContentRangeTests.range),
                body: ByteBuffer(string: body)
            )
        }
        switch way {
        case .raw: return try await post("/1.1/files/a.txt", "hello")
        case .form: return try await post("/1.1/files", form, boundary)
        case .namedForm: return try await post("/1.1/files/a.txt", form, boundary)
        case .put: return try await Target(client).call(.put, "", "hello", ContentRangeTests.range)
        case .kodoForm:
            let target = try await Target(client)
            return try await target.form([("file", "hello"), ("token", target.token)], ContentRangeTests.range)
        }
    }

    @Test("a part of a file is refused in the dialects of one request", arguments: Way.allCases)
    func refused(way: Way) async throws {
        let server = TestServer()
        try await server.test { client in
            let response = try await send(way, client)
            #expect(response.status == .badRequest)
            #expect(response.text.contains("Content-Range"))
            if way == .put { expectS3(response, 400, "InvalidRequest") }
        }
        #expect(server.store.count(of: .file) == 0)
        #expect(server.blobs.count == 0)
        #expect(server.staging.count == 0)
    }

    @Test("parts say by their numbers where their bytes belong")
    func part() async throws {
        try await TestServer().test { client in
            let target = try await Target(client)
            let id = try await target.begin()
            let headers = target.bearer.merging(ContentRangeTests.range)
            let response = try await target.call(.put, "\(target.objects)/\(id)/1", "hello", headers)
            #expect(response.status == .ok, "\(response.text)")
        }
    }
}
