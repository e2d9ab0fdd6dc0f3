import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// What `fileTokens` answered, and requests to its address, which have no credentials.
struct Target: Sendable {
    let client: TestClient
    let id: String
    let key: String
    let token: String
    /// The address without scheme and host.
    let path: String

    init(_ client: TestClient, size: Int) async throws {
        let body = #"{"name":"a.txt","metaData":{"size":\#(size)}}"#
        try await self.init(client, body)
    }

    init(
        _ client: TestClient,
        _ body: String = #"{"name":"a.txt"}"#,
        _ headers: HTTPFields = Who.client.headers
    ) async throws {
        let response = try await client.send("POST", "/1.1/fileTokens", body, headers)
        #expect(response.status == .created)
        let answer = try response.json()
        self.client = client
        id = try #require(answer["objectId"]?.stringValue)
        key = try #require(answer["key"]?.stringValue)
        token = try #require(answer["token"]?.stringValue)
        let address = try #require(answer["upload_url"]?.stringValue)
        path = address.replacing("https://api.example.com", with: "")
    }

    /// The 40 characters alone.
    var secret: String { String(path.suffix(40)) }
    var bearer: HTTPFields { [.authorization: "UpToken \(token)"] }
    var encodedKey: String { Array(key.utf8).base64URL }
    /// Where Kodo v2 begins.
    var objects: String { "/buckets/app/objects/\(encodedKey)/uploads" }

    func call(
        _ method: HTTPRequest.Method,
        _ rest: String,
        _ body: String? = nil,
        _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await client.execute(
            uri: path + rest,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        )
    }

    func form(
        _ parts: [(String, String)],
        query: String = "",
        _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        let body = parts.map { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }.joined()
        return try await call(
            .post,
            query,
            "\(body)--b--\r\n",
            headers.merging([.contentType: "multipart/form-data; boundary=b"])
        )
    }

    /// Begins an upload of parts; gives its id.
    func begin() async throws -> String {
        let response = try await call(.post, objects, "", bearer)
        return try #require(try response.json()["uploadId"]?.stringValue)
    }
}

/// Refusals to S3's clients are XML.
func expectS3(
    _ response: TestResponse,
    _ status: Int,
    _ code: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status.code == status, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.headers[.contentType] == "application/xml", sourceLocation: sourceLocation)
    let isError = response.text.contains("<Error><Code>\(code)</Code><Message>")
    #expect(isError, "\(response.text)", sourceLocation: sourceLocation)
}

/// Refusals to Kodo's and COS's clients are JSON, with a sentence under both names and the status.
func expectKodo(
    _ response: TestResponse,
    _ status: Int,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let body = try response.json()
    #expect(response.status.code == status, "\(response.text)", sourceLocation: sourceLocation)
    #expect(Set(body.keys) == ["error", "code", "message"], sourceLocation: sourceLocation)
    #expect(body["code"] == .integer(Int64(status)), sourceLocation: sourceLocation)
    #expect(body["error"]?.stringValue?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(body["message"] == body["error"], sourceLocation: sourceLocation)
    #expect(response.headers[.known("X-Reqid")] != nil, sourceLocation: sourceLocation)
}

/// The end of an upload of `hello` is told by hash and key.
func expectFile(
    _ response: TestResponse,
    _ target: Target,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let body = try response.json()
    #expect(Set(body.keys) == ["hash", "key"], sourceLocation: sourceLocation)
    #expect(body["hash"] == .string("Fqr0xh3cxeii2r7eDztILNmuqUNN"), sourceLocation: sourceLocation)
    #expect(body["key"] == .string(target.key), sourceLocation: sourceLocation)
}

extension TestClient {
    /// A request of tus with the app key.
    func tus(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        let own = Who.client.headers.merging([.tusResumable: "1.0.0"])
        return try await execute(
            uri: path,
            method: method,
            headers: own.merging(headers),
            body: body.map { ByteBuffer(string: $0) }
        )
    }

    /// Makes an upload; gives its path.
    func tus(size: Int, _ headers: HTTPFields = [:]) async throws -> String {
        let response = try await tus(.post, "/1.1/uploads", nil, headers.merging([.uploadLength: String(size)]))
        #expect(response.status == .created)
        let location = try #require(response.headers[.location])
        return location.replacing("https://api.example.com", with: "")
    }
}

extension HTTPFields {
    /// These fields and others, which win.
    func merging(_ others: HTTPFields) -> HTTPFields {
        var merged = self
        for field in others { merged[field.name] = field.value }
        return merged
    }
}
