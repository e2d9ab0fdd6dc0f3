import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Which downloads are redirected to the store (docs/redirects.md).
@Suite struct DownloadRedirectTests {
    /// A redirect to ``MemoryBlobStore``.
    private struct Target {
        let type: String
        let caching: String
        let disposition: String
        let end: Int64

        init?(_ response: TestResponse) {
            let parts = (response.headers[.location] ?? "").split(separator: "|", omittingEmptySubsequences: false)
            guard response.status == .found, parts.count == 6, parts[0].hasPrefix("https://store.example.com/"),
                let start = Int64(parts[4]), let seconds = Int64(parts[5])
            else { return nil }
            (type, caching, disposition) = (String(parts[1]), String(parts[2]), String(parts[3]))
            end = start + seconds
        }
    }

    private func server(
        _ files: RedirectedFiles = .public,
        minSize: Int64 = 5,
        remoteLife: Int = .max
    ) -> TestServer {
        var server = TestServer()
        server.blobs = MemoryBlobStore(isLocal: false, isShared: true, isRemote: true, remoteLife: remoteLife)
        server.redirects = DownloadRedirects(files: files, minSize: minSize, life: 3600)
        server.names = ImageNames(styles: ["small": "imageView2/2/w/10/format/png"])
        return server
    }

    @Sendable private func upload(
        _ client: TestClient,
        _ name: String = "a.jpg",
        _ text: String = "hello"
    ) async throws -> (path: String, id: String, url: String) {
        let record = try await client.upload(name, text)
        let url = try #require(record["url"]?.stringValue).replacing("https://files.example.com", with: "")
        return ("/\(try #require(record["key"]?.stringValue))", try #require(record["objectId"]?.stringValue), url)
    }

    @Test("a redirect has the URL of the store with the type and the caching of the file, and ends before that URL")
    func redirect() async throws {
        let server = server()
        try await server.test { client in
            let response = try await client.send("GET", try await upload(client).path, nil, [:])
            let target = try #require(Target(response))
            #expect(target.type == "image/jpeg")
            #expect(target.caching == "public, max-age=31536000, immutable")
            #expect(target.disposition == "")
            #expect(response.headers[.cacheControl] == "public, max-age=1800")
            #expect(target.end >= Timestamp.now().wholeSeconds + 3590)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.eTag] == nil && response.body.readableBytes == 0)
        }
        #expect(server.blobs.reads.isEmpty)
    }

    @Test(
        "a store whose keys end earlier gets a URL of half the life, or a quarter, and so on; for less the server sends",
        arguments: [(4500, 1800), (4499, 900), (2249, 450), (140, 56), (139, nil), (0, nil)] as [(Int, Int?)]
    )
    func shorterURLs(remoteLife: Int, cacheSeconds: Int?) async throws {
        try await server(remoteLife: remoteLife).test { client in
            let response = try await client.send("GET", try await upload(client).path, nil, [:])
            guard let cacheSeconds else { return #expect(response.text == "hello") }
            let target = try #require(Target(response))
            #expect(target.end <= Timestamp.now().wholeSeconds + Int64(remoteLife))
            #expect(response.headers[.cacheControl] == "public, max-age=\(cacheSeconds)")
        }
    }

    /// What a request is answered with; `<tag>` and `<date>` are those of this server.
    private static let conditions: [(String, HTTPFields, String, Int)] = [
        ("GET", [:], "", 302), ("HEAD", [:], "", 200),
        ("GET", [.range: "bytes=1-2"], "", 302), ("GET", [.range: "bytes=0-0,3-3"], "", 206),
        ("GET", [.ifNoneMatch: "<tag>"], "", 304), ("GET", [.ifNoneMatch: "W/<tag>"], "", 304),
        ("GET", [.ifNoneMatch: "*"], "", 304), ("GET", [.ifNoneMatch: "\"store\""], "", 302),
        ("GET", [.ifMatch: "<tag>"], "", 200), ("GET", [.ifMatch: "\"store\""], "", 302),
        ("GET", [.ifRange: "<tag>", .range: "bytes=1-2"], "", 206),
        ("GET", [.ifRange: "<date>", .range: "bytes=1-2"], "", 206),
        ("GET", [.ifRange: "\"store\"", .range: "bytes=1-2"], "", 302),
        ("GET", [.ifModifiedSince: "<date>"], "", 304),
        ("GET", [.ifModifiedSince: "Fri, 02 Jan 2015 03:04:05 GMT"], "", 302),
        ("GET", [.ifUnmodifiedSince: "<date>"], "", 200),
        ("GET", [.ifUnmodifiedSince: "Fri, 02 Jan 2015 03:04:05 GMT"], "", 302),
        ("GET", [.authorization: "Basic YTpi"], "", 200), ("GET", [.known("x-lc-session"): "abc"], "", 200),
        ("GET", [.known("X-LC-Key"): "app-key"], "", 200), ("GET", [.known("X-AVOSCloud-Master-Key"): "k"], "", 200),
        ("GET", [.known("X-Uluru-Session-Token"): "k"], "", 200), ("GET", [.cookie: "a=b"], "", 302),
        ("GET", [:], "?v=3", 302), ("GET", [:], "?imageView2/2/w/10", 200), ("GET", [:], "-small", 200),
        ("GET", [:], "?imageInfo", 200),
    ]

    @Test("the method, conditions, ranges, credentials and operators decide about a request", arguments: conditions)
    func requests(method: String, headers: HTTPFields, query: String, status: Int) async throws {
        try await server().test { client in
            let path = try await upload(client).path
            let head = try await client.send("HEAD", path, nil, [:]).headers
            var headers = headers
            for field in headers {
                headers[field.name] = field.value.replacing("<tag>", with: head[.eTag] ?? "")
                    .replacing("<date>", with: head[.lastModified] ?? "")
            }
            let response = try await client.send(method, path + query, nil, headers)
            #expect(response.status.code == status)
            #expect((response.headers[.location] != nil) == (status == 302))
        }
    }

    @Test("a name for the browser is in the URL of the store")
    func attachment() async throws {
        try await server().test { client in
            let path = try await upload(client).path + "?attname=b%20c.jpg"
            let response = try await client.send("GET", path, nil, [:])
            let target = try #require(Target(response))
            #expect(target.disposition == "attachment; filename=\"b c.jpg\"; filename*=UTF-8''b%20c.jpg")
            #expect(response.headers[.contentDisposition] == nil)
            let own = try await client.send("GET", path, nil, [.range: "bytes=0-0,3-3"])
            #expect(own.headers[.contentDisposition] == target.disposition)
        }
    }

    @Test(
        "types that a browser could run stay with the server, which sandboxes them",
        arguments: [("a.html", 200), ("a.svg", 200), ("a", 200), ("a.txt", 302), ("a.jpg", 302)]
    )
    func types(name: String, status: Int) async throws {
        try await server().test { client in
            let type = name == "a.svg" ? "image/svg+xml" : name == "a" ? "text/x-unknown" : nil
            let record = try await client.upload(name, "hello", as: type)
            let path = "/\(try #require(record["key"]?.stringValue))"
            let response = try await client.send("GET", path, nil, [:])
            #expect(response.status.code == status)
            #expect((response.headers[.contentSecurityPolicy] != nil) == (status == 200))
        }
    }

    @Test(
        "smaller files, and all without the setting, stay with the server",
        arguments: [RedirectedFiles.off, .public]
    )
    func sizes(files: RedirectedFiles) async throws {
        try await server(files, minSize: 6).test { client in
            let (small, large) = (try await upload(client), try await upload(client, "b.jpg", "hello!"))
            #expect(try await client.send("GET", small.path, nil, [:]).text == "hello")
            let response = try await client.send("GET", large.path, nil, [:])
            #expect(response.status == (files == .off ? .ok : .found))
        }
    }

    @Test(
        "a private file is redirected only with all, its signature, and a URL that ends before the signature",
        arguments: [(RedirectedFiles.public, 200), (.all, 302)]
    )
    func privateFiles(files: RedirectedFiles, status: Int) async throws {
        var server = server(files)
        server.fileAccess = .private
        try await server.test { client in
            let file = try await upload(client)
            #expect(try await client.send("GET", file.path, nil, [:]).status == .forbidden)
            let response = try await client.send("GET", file.url, nil, [:])
            #expect(response.status.code == status)
            guard status == 302 else { return #expect(response.text == "hello") }
            let expiry = try #require(file.url.firstMatch(of: /e=(\d+)/).flatMap { Int64($0.1) })
            let target = try #require(Target(response))
            #expect(target.end <= expiry && target.end > Timestamp.now().wholeSeconds + 2000)
            #expect(target.caching.hasPrefix("private, max-age="))
            #expect(response.headers[.cacheControl]?.hasPrefix("private, max-age=") == true)
            // The signature of this server is nothing for the store.
            #expect(response.headers[.location]?.contains("token=") == false)
            let soon = try await client.send("POST", "/1.1/files/\(file.id)/url", #"{"expiresIn":1}"#).json()
            let short = try #require(soon["url"]?.stringValue).replacing("https://files.example.com", with: "")
            #expect(try await client.send("GET", short, nil, [:]).status != .found)
        }
    }

    @Test("a file's content is redirected for guests, and not for callers with credentials")
    func content() async throws {
        try await server().test { client in
            let path = "/1.1/files/\(try await upload(client).id)/content"
            let guest = try await client.send("GET", path, nil, [:])
            #expect(Target(guest)?.caching == "public, max-age=3600")
            // Four fifths of an hour, so that the URL ends within the hour, and half of that.
            #expect(guest.headers[.cacheControl] == "public, max-age=1440")
            for who in [Who.client, .master] {
                #expect(try await client.send("GET", path, nil, who.headers).text == "hello")
            }
        }
    }

    @Test("a blocked file is not redirected, and neither is the image that is shown instead")
    func blocked() async throws {
        try await server().test { client in
            let (file, shown) = (try await upload(client), try await upload(client, "b.jpg", "shown instead"))
            let verdict = #"{"verdict":"rejected"}"#
            let decided = try await client.send("PUT", "/1.1/files/\(file.id)/censor", verdict, Who.master.headers)
            #expect(decided.status == .ok)
            #expect(try await client.send("GET", file.path, nil, [:]).status == .forbidden)
            let settings = #"{"blockedImage":"\#(shown.id)"}"#
            let set = try await client.send("PUT", "/1.1/censorship/settings", settings, Who.master.headers)
            #expect(set.status == .ok, "\(set.text)")
            #expect(try await client.send("GET", file.path, nil, [:]).text == "shown instead")
            #expect(try await client.send("GET", shown.path, nil, [:]).status == .found)
        }
    }

    @Test("responses of a file that is redirected are not prepared, which would be used instead of redirects")
    func hotDownloads() async throws {
        try await server().test { client in
            let path = try await upload(client).path
            for headers in [[:], Who.client.headers, [:], Who.client.headers] {
                try await client.execute(uri: path, method: .get, headers: headers)
            }
            #expect(client.hotDownloads?.find(path) == nil)
            let image = "\(path)?imageView2/2/w/10"
            for _ in 0..<4 { try await client.execute(uri: image, method: .get) }
            #expect(client.hotDownloads?.find(image) != nil)
        }
    }

    @Test("a deleted file is not found, and a lost blob is an error of the server")
    func missing() async throws {
        let server = server()
        try await server.test { client in
            let (deleted, lost) = (try await upload(client), try await upload(client, "b.jpg"))
            #expect(try await client.send("GET", deleted.path, nil, [:]).status == .found)
            let answer = try await client.send("DELETE", "/1.1/files/\(deleted.id)", nil, Who.master.headers)
            #expect(answer.status == .ok)
            #expect(try await client.send("GET", deleted.path, nil, [:]).status == .notFound)
            try await server.blobs.remove(try #require(FileKey(String(lost.path.dropFirst()))))
            #expect(try await client.send("GET", lost.path, nil, [:]).status == .internalServerError)
        }
    }
}
