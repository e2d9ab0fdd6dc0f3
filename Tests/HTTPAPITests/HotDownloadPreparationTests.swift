import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Which responses are prepared for the next requests, and what removes them.
@Suite struct HotDownloadPreparationTests {
    private func server() -> TestServer {
        var server = TestServer()
        server.names = ImageNames(styles: ["small": "imageView2/2/w/10/format/png"])
        return server
    }

    /// A new file's key and id.
    @Sendable private func upload(
        _ client: TestClient,
        _ name: String = "a.jpg",
        _ text: String = "0123456789"
    ) async throws -> (key: String, id: String) {
        let record = try await client.upload(name, text)
        return (try #require(record["key"]?.stringValue), try #require(record["objectId"]?.stringValue))
    }

    /// Requests a target as often as it takes to prepare responses, and twice more for derivatives, which are stored
    /// after they are sent.
    @Sendable private func isHot(
        _ target: String,
        _ client: TestClient,
        method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:]
    ) async throws -> Bool {
        for _ in 0..<4 { try await client.execute(uri: target, method: method, headers: headers) }
        return client.hotDownloads?.find(target) != nil
    }

    @Test("the first request prepares nothing, the second one does")
    func second() async throws {
        try await server().test { client in
            let target = "/\(try await upload(client).key)"
            try await client.execute(uri: target, method: .get)
            #expect(client.hotDownloads?.find(target) == nil)
            try await client.execute(uri: target, method: .get)
            #expect(client.hotDownloads?.find(target) != nil)
        }
    }

    @Test("the prepared response has the head and the body of the route's response")
    func equal() async throws {
        try await server().test { client in
            let target = "/\(try await upload(client).key)?attname=b.jpg"
            let response = try await client.execute(uri: target, method: .get)
            try await client.execute(uri: target, method: .get)
            let hot = try #require(client.hotDownloads?.find(target))
            let id = HotRequestID()
            let bytes = hot.head(isUnchanged: false, id: id, date: "now", ByteBufferAllocator())
            var head = "HTTP/1.1 200 OK\r\n"
            for field in response.headers where field.name != .requestID { head += "\(field.name): \(field.value)\r\n" }
            head += "X-Request-Id: \(id)\r\nDate: now\r\nServer: lcfile\r\n\r\n"
            #expect(String(buffer: bytes) == head)
            #expect(hot.bytes == ByteBuffer(string: "0123456789") && hot.file == nil)
            let tag = try #require(response.headers[.eTag])
            let unchanged = try await client.execute(uri: target, method: .get, headers: [.ifNoneMatch: tag])
            #expect(hot.isUnchanged(for: tag))
            var expected = "HTTP/1.1 304 Not Modified\r\n"
            for field in unchanged.headers where field.name != .requestID {
                expected += "\(field.name): \(field.value)\r\n"
            }
            let short = hot.head(isUnchanged: true, id: id, date: "now", ByteBufferAllocator())
            #expect(String(buffer: short) == expected + "X-Request-Id: \(id)\r\nDate: now\r\nServer: lcfile\r\n\r\n")
        }
    }

    @Test(
        "files, derivatives and styles are prepared under their whole target",
        arguments: ["", "?attname=b.jpg", "?imageView2/2/w/10", "-small", "-small?v=3", "?v=3"]
    )
    func targets(rest: String) async throws {
        try await server().test { client in
            let target = "/\(try await upload(client).key)\(rest)"
            #expect(try await isHot(target, client))
        }
    }

    @Test(
        "answers about an image, errors and requests for parts are not prepared",
        arguments: [
            ("?imageInfo", .get, [:]), ("?nonsense/1", .get, [:]), ("x", .get, [:]), ("", .head, [:]),
            ("", .get, [.range: "bytes=0-1"]), ("", .get, [.ifNoneMatch: "*"]), ("", .get, [.ifMatch: "\"x\""]),
        ] as [(String, HTTPRequest.Method, HTTPFields)]
    )
    func unprepared(rest: String, method: HTTPRequest.Method, headers: HTTPFields) async throws {
        try await server().test { client in
            let target = "/\(try await upload(client).key)\(rest)"
            #expect(try await !isHot(target, client, method: method, headers: headers))
        }
    }

    @Test("responses that depend on Accept are not prepared")
    func negotiated() async throws {
        var server = server()
        server.names = ImageNames(automatic: [.webp])
        try await server.test { client in
            let key = try await upload(client).key
            #expect(try await !isHot("/\(key)?imageView2/2/w/10", client))
            #expect(try await isHot("/\(key)?imageView2/2/w/10/format/png", client))
        }
    }

    @Test("a file that is served because rendering failed is not prepared")
    func ignoredFailure() async throws {
        var server = server()
        server.renderer = FixedRenderer(failure: ServiceError(.notAnImage, "No image."))
        try await server.test { client in
            let key = try await upload(client).key
            let target = "/\(key)?imageView2/2/w/10/ignore-error/1"
            #expect(try await client.execute(uri: target, method: .get).status == .ok)
            #expect(try await !isHot(target, client))
        }
    }

    @Test("an image with a watermark of another file is not prepared")
    func watermark() async throws {
        try await server().test { client in
            let mark = Array(try await upload(client).key.utf8).base64URL
            let target = "/\(try await upload(client, "b.jpg").key)?watermark/1/image/\(mark)"
            #expect(try await client.execute(uri: target, method: .get).status == .ok)
            #expect(try await !isHot(target, client))
        }
    }

    @Test("of blobs that are on another machine, only small ones are prepared")
    func remote() async throws {
        var server = server()
        server.blobs = MemoryBlobStore(isLocal: false)
        try await server.test { client in
            let most = Int(HotDownload.longestInMemory)
            for (size, isPrepared) in [(most, true), (most + 1, false)] {
                let key = try await upload(client, "a.txt", String(repeating: "x", count: size)).key
                #expect(try await isHot("/\(key)", client) == isPrepared)
            }
        }
    }

    @Test(
        "a deleted or blocked file has no prepared responses, another file has",
        arguments: [
            ("DELETE", "/1.1/files/{id}", nil), ("PUT", "/1.1/files/{id}/censor", #"{"verdict":"rejected"}"#),
            ("PUT", "/1.1/classes/_File/{id}", #"{"metaData":{"a":1}}"#),
        ] as [(String, String, String?)]
    )
    func removed(method: String, path: String, body: String?) async throws {
        try await server().test { client in
            let (file, other) = (try await upload(client), try await upload(client, "b.jpg"))
            let targets = ["/\(file.key)", "/\(file.key)?imageView2/2/w/10", "/\(file.key)-small"]
            for target in targets + ["/\(other.key)"] { #expect(try await isHot(target, client), "\(target)") }
            let change = path.replacing("{id}", with: file.id)
            let response = try await client.send(method, change, body, Who.master.headers)
            #expect(response.status == .ok, "\(response.text)")
            for target in targets { #expect(client.hotDownloads?.find(target) == nil, "\(target)") }
            #expect(client.hotDownloads?.find("/\(other.key)") != nil)
        }
    }

    @Test("changed settings of censorship remove all prepared responses")
    func settings() async throws {
        try await server().test { client in
            let target = "/\(try await upload(client).key)"
            #expect(try await isHot(target, client))
            let body = #"{"auto":true}"#
            let response = try await client.send("PUT", "/1.1/censorship/settings", body, Who.master.headers)
            #expect(response.status == .ok)
            #expect(client.hotDownloads?.find(target) == nil)
        }
    }

    @Test("a new file whose key is a style's path removes the response of the style")
    func precedence() async throws {
        try await server().test { client in
            let target = "/\(try await upload(client).key)-small"
            #expect(try await isHot(target, client))
            let description = #"{"name":"b.txt","key":"\#(target.dropFirst())"}"#
            _ = try await Target(client, description, Who.master.headers).call(.put, "", "hello")
            #expect(client.hotDownloads?.find(target) == nil)
        }
    }
}
