import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

/// Who gets the bytes of private files (docs/private-files.md).
@Suite struct PrivateFileTests {
    private struct Upload {
        let id: String
        let path: String
        /// The URL in the record that the uploader got, without its host.
        let target: String

        /// The signature in the URL, as parameters.
        var signature: String { target.split(separator: "?").dropFirst().joined(separator: "?") }
    }

    private func server(_ access: FileAccess = .private, images: ImageAccess = .any) -> TestServer {
        var server = TestServer()
        server.fileAccess = access
        server.imageAccess = images
        server.names = ImageNames(styles: ["small": "imageView2/2/w/10/format/png"])
        return server
    }

    @Sendable private func upload(_ client: TestClient, _ name: String = "a.jpg") async throws -> Upload {
        let record = try await client.upload(name)
        let key = try #require(record["key"]?.stringValue)
        let url = try #require(record["url"]?.stringValue)
        return Upload(
            id: try #require(record["objectId"]?.stringValue),
            path: "/\(key)",
            target: url.replacing("https://files.example.com", with: "")
        )
    }

    @Sendable private func setACL(_ acl: String, of file: Upload, _ client: TestClient) async throws {
        let response = try await client.send("PUT", "/1.1/files/\(file.id)", #"{"ACL":\#(acl)}"#, Who.master.headers)
        #expect(response.status == .ok, "\(response.text)")
    }

    /// Each way to the bytes of a file: `{s}` is where the signature stands.
    private static let ways = [
        ("GET", "{key}?{s}"), ("HEAD", "{key}?{s}"), ("GET", "{key}?imageView2/2/w/10&{s}"),
        ("GET", "{key}?{s}?imageView/2/w/10"), ("GET", "{key}-small?{s}"), ("GET", "{key}?imageInfo&{s}"),
        ("GET", "{key}?exif&{s}"), ("GET", "{key}?imageAve&{s}"), ("GET", "{key}?stat&{s}"),
        ("GET", "{key}?attname=b.jpg&{s}"), ("GET", "/1.1/files/{id}/content?{s}"),
        ("HEAD", "/1.1/files/{id}/content?{s}"), ("GET", "/1.1/files/{id}/content?imageView2/2/w/10&{s}"),
    ]

    @Test("each way to the bytes needs the signature of the file", arguments: ways)
    func closed(_ method: String, _ template: String) async throws {
        try await server().test { client in
            let (file, other) = (try await upload(client), try await upload(client, "b.jpg"))
            func response(_ signature: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
                let path = template.replacing("{key}", with: file.path).replacing("{id}", with: file.id)
                return try await client.send(method, path.replacing("{s}", with: signature), nil, headers)
            }
            let open = try await response(file.signature)
            #expect(open.status != .forbidden)
            if open.status == .ok, open.headers[.eTag] != nil {
                let caching = try #require(open.headers[.cacheControl])
                #expect(caching.hasPrefix("private, max-age="), "\(caching)")
            }
            for signature in ["", other.signature, file.signature.replacing("token=", with: "token=A"), "e=1&token=A"] {
                for headers in [[:], [.range: "bytes=0-1"], [.ifNoneMatch: "*"]] as [HTTPFields] {
                    let refused = try await response(signature, headers)
                    #expect(refused.status == .forbidden, "\(signature)")
                    #expect(refused.headers[.cacheControl] == "private, no-store")
                }
            }
        }
    }

    @Test("callers who may read the record get its bytes by id without a signature, and others do not")
    func readers() async throws {
        try await server().test { client in
            let file = try await upload(client)
            let path = "/1.1/files/\(file.id)/content"
            for who in [Who.client, .master] {
                let response = try await client.send("GET", path, nil, who.headers)
                #expect(response.status == .ok)
                #expect(response.headers[.cacheControl] == "private, no-cache")
            }
            try await setACL("{}", of: file, client)
            #expect(try await client.send("GET", path, nil, Who.client.headers).status == .notFound)
            #expect(try await client.send("GET", path, nil, Who.master.headers).status == .ok)
        }
    }

    @Test("the URL in a record is signed for those who read it")
    func records() async throws {
        try await server().test { client in
            let file = try await upload(client)
            for path in ["/1.1/files/\(file.id)", "/1.1/classes/_File/\(file.id)"] {
                let url = try await client.send("GET", path, nil, Who.client.headers).json()["url"]?.stringValue
                let target = try #require(url).replacing("https://files.example.com", with: "")
                #expect(target == file.target)
            }
            #expect(try await client.send("GET", file.target, nil, [:]).status == .ok)
        }
    }

    @Test("with `acl` a file is private while its ACL does not let everyone read, also what was cached")
    func acl() async throws {
        try await server(.acl).test { client in
            let file = try await upload(client)
            #expect(file.target == file.path)
            for path in [file.path, "\(file.path)-small", "\(file.path)?imageView2/2/w/10"] {
                // The second request prepares a response for those that follow.
                for _ in 1...3 { #expect(try await client.send("GET", path, nil, [:]).status == .ok) }
                #expect(client.hotDownloads?.find(path) != nil)
                try await setACL("{}", of: file, client)
                #expect(client.hotDownloads?.find(path) == nil)
                #expect(try await client.send("GET", path, nil, [:]).status == .forbidden)
                try await setACL(#"{"*":{"read":true}}"#, of: file, client)
                #expect(try await client.send("GET", path, nil, [:]).status == .ok)
            }
            try await setACL("{}", of: file, client)
            let record = try await client.send("GET", "/1.1/files/\(file.id)", nil, Who.master.headers).json()
            let target = try #require(record["url"]?.stringValue).replacing("https://files.example.com", with: "")
            #expect(try await client.send("GET", target, nil, [:]).status == .ok)
        }
    }

    @Test("responses to signed requests are prepared for their target, and say a minute less")
    func hot() async throws {
        try await server().test { client in
            let file = try await upload(client)
            for target in [file.target, "\(file.path)?imageView2/2/w/10&\(file.signature)"] {
                let start = ContinuousClock.now
                let seconds = try await isServed(target, client)
                _ = try await isServed(target, client)
                let hot = try #require(client.hotDownloads?.find(target))
                let answer = hot.response(isUnchanged: false, id: HotRequestID(), date: "now")
                let caching = try #require(answer.headerFields[.cacheControl])
                let prepared = try #require(Int(caching.replacing("private, max-age=", with: "")))
                // The second request can be in a later second than the first one.
                let passed = Int((ContinuousClock.now - start).components.seconds) + 2
                #expect((seconds - 60 - passed...seconds - 60).contains(prepared))
                #expect(client.hotDownloads?.find(file.path) == nil)
                #expect(try await client.send("GET", file.path, nil, [:]).status == .forbidden)
                #expect(try await client.send("GET", "\(target)x", nil, [:]).status == .forbidden)
            }
            #expect(try await client.send("DELETE", "/1.1/files/\(file.id)", nil, Who.master.headers).status == .ok)
            #expect(client.hotDownloads?.find(file.target) == nil)
        }
    }

    /// The seconds for which a response with the file can be cached.
    @Sendable private func isServed(_ target: String, _ client: TestClient) async throws -> Int {
        let answer = try await client.send("GET", target, nil, [:])
        #expect(answer.status == .ok)
        return try #require(Int((answer.headers[.cacheControl] ?? "").replacing("private, max-age=", with: "")))
    }

    @Test(
        "nothing is prepared for a signature that expires within two minutes",
        arguments: [(119, false), (130, true)]
    )
    func expiringSoon(seconds: Int, isPrepared: Bool) async throws {
        try await server().test { client in
            let file = try await upload(client)
            let body = #"{"expiresIn":\#(seconds)}"#
            let answer = try await client.send("POST", "/1.1/files/\(file.id)/url", body, Who.master.headers).json()
            let target = try #require(answer["url"]?.stringValue).replacing("https://files.example.com", with: "")
            for _ in 1...3 { _ = try await isServed(target, client) }
            #expect((client.hotDownloads?.find(target) != nil) == isPrepared)
        }
    }

    @Test("a private file is not shown as a watermark of another file, except by a style of the app")
    func watermark() async throws {
        var server = server(.acl)
        server.names = ImageNames(styles: ["marked": "watermark/1/image/\(Array("mark.png".utf8).base64URL)"])
        try await server.test { client in
            let file = try await upload(client)
            let target = try await Target(client, #"{"name":"m.png","key":"mark.png"}"#, Who.master.headers)
            _ = try await target.call(.put, "", "mark")
            let list = try await client.send("GET", "/1.1/files?where={\"key\":\"mark.png\"}", nil, Who.master.headers)
            let record = try list.json()["results"]?.arrayValue?.first?.objectValue
            let id = try #require(record?["objectId"]?.stringValue)
            let path = "\(file.path)?watermark/1/image/\(Array("mark.png".utf8).base64URL)"
            #expect(try await client.send("GET", path, nil, [:]).status == .ok)
            try await setACL("{}", of: Upload(id: id, path: "", target: ""), client)
            #expect(try await client.send("GET", path, nil, [:]).status == .badRequest)
            #expect(try await client.send("GET", "\(file.path)-marked", nil, [:]).status == .ok)
        }
    }

    @Test("an unsigned request for a file that the mirror has does not fetch it")
    func mirror() async throws {
        var server = server()
        let origin = OldServer()
        server.mirrors = ["app"]
        server.fetcher = origin
        try await server.test { [origin] client in
            for path in ["/k.jpg", "/k.jpg-small", "/k.jpg?imageInfo", "/k.jpg?e=9999999999&token=A"] {
                let response = try await client.send("GET", path, nil, [:])
                #expect(response.status == .forbidden, "\(path)")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test("limited images need a signature of their own, also of public files and files elsewhere")
    func images() async throws {
        try await server(.public, images: .styles).test { client in
            let file = try await upload(client)
            #expect(try await client.send("GET", "\(file.path)-small", nil, [:]).status == .ok)
            #expect(try await client.send("GET", "\(file.path)?imageView2/2/w/11", nil, [:]).status == .forbidden)
            let body = #"{"name":"a.jpg","url":"https://elsewhere.example/a.jpg","mime_type":"image/jpeg"}"#
            let id = try #require(try await client.send("POST", "/1.1/files", body).json()["objectId"]?.stringValue)
            let content = "/1.1/files/\(id)/content"
            #expect(try await client.send("GET", content, nil, [:]).status == .ok)
            #expect(try await client.send("GET", "\(content)?imageView2/2/w/9", nil, [:]).status == .forbidden)
            #expect(
                try await client.send("GET", "\(content)?imageView2/2/w/9", nil, Who.master.headers).status == .ok
            )
        }
    }
}
