import Domain
import HTTPTypes
import NIOCore
import Support
import Synchronization
import Testing

@testable import HTTPAPI

/// What clients get of a file that censorship blocks (docs/censorship.md).
@Suite struct BlockedFileTests {
    private struct Upload {
        let id: String
        let path: String
        let key: String
    }

    private func server() -> TestServer {
        var server = TestServer()
        server.names = ImageNames(styles: ["small": "imageView2/2/w/10/format/png"])
        return server
    }

    @Sendable private func upload(_ client: TestClient, _ name: String = "a.jpg") async throws -> Upload {
        let record = try await client.upload(name)
        let key = try #require(record["key"]?.stringValue)
        return Upload(id: try #require(record["objectId"]?.stringValue), path: "/\(key)", key: key)
    }

    @Sendable private func decide(_ verdict: String, _ id: String, _ client: TestClient) async throws {
        let body = #"{"verdict":"\#(verdict)"}"#
        let response = try await client.send("PUT", "/1.1/files/\(id)/censor", body, Who.master.headers)
        #expect(response.status == .ok, "\(response.text)")
    }

    @Sendable private func set(_ settings: String, _ client: TestClient) async throws {
        let response = try await client.send("PUT", "/1.1/censorship/settings", settings, Who.master.headers)
        #expect(response.status == .ok, "\(response.text)")
    }

    @Test(
        "every way to the bytes is closed at once, also what was cached before, and open again after a pass",
        arguments: [
            ("GET", "{key}"), ("HEAD", "{key}"), ("GET", "{key}?imageView2/2/w/10"), ("GET", "{key}-small"),
            ("GET", "{key}?imageInfo"), ("GET", "{key}?exif"), ("GET", "{key}?imageAve"), ("GET", "{key}?stat"),
            ("GET", "{key}?attname=b.jpg"), ("GET", "/1.1/files/{id}/content"), ("HEAD", "/1.1/files/{id}/content"),
            ("GET", "/1.1/files/{id}/content?imageView2/2/w/10"), ("GET", "{other}?watermark/1/image/{mark}"),
        ]
    )
    func closed(_ method: String, _ template: String) async throws {
        try await server().test { client in
            let (file, other) = (try await upload(client), try await upload(client, "b.jpg"))
            let mark = Array(file.key.utf8).base64URL
            let path = template.replacing("{key}", with: file.path).replacing("{other}", with: other.path)
                .replacing("{mark}", with: mark).replacing("{id}", with: file.id)
            let before = try await client.send(method, path, nil, [:])
            #expect(before.status != .forbidden)
            try await decide("rejected", file.id, client)
            for headers in [[:], [.range: "bytes=0-1"], [.ifNoneMatch: before.headers[.eTag] ?? "*"]] as [HTTPFields] {
                let response = try await client.send(method, path, nil, headers)
                #expect(response.status == .forbidden)
                #expect(response.headers[.cacheControl]?.contains("no-store") == true)
                #expect(method == "HEAD" || response.text == #"{"code":403,"error":"The file is blocked."}"#)
            }
            try await decide("passed", file.id, client)
            #expect(try await client.send(method, path, nil, [:]).status == before.status)
        }
    }

    /// Makes the record of a file on another server; returns its id and the paths of its content.
    @Sendable private func link(
        _ client: TestClient,
        _ more: String = ""
    ) async throws -> (id: String, paths: [String]) {
        let body = #"{"name":"a","url":"https://elsewhere.example/a"\#(more)}"#
        let id = try #require(try await client.send("POST", "/1.1/files", body).json()["objectId"]?.stringValue)
        return (id, ["/1.1/files/\(id)/content", "/1.1/files/\(id)/content?imageView2/2/w/10"])
    }

    @Sendable private func statuses(_ paths: [String], _ client: TestClient) async throws -> [Int] {
        var statuses: [Int] = []
        for path in paths { statuses.append(try await client.send("GET", path, nil, [:]).status.code) }
        return statuses
    }

    @Test(
        "the content of a blocked file on another server is not shown, also if its record declares another type",
        arguments: [
            "", #","mime_type":"image/jpeg""#, #","mime_type":"application/octet-stream""#,
            #","mime_type":"text/plain""#,
        ]
    )
    func elsewhere(more: String) async throws {
        try await server().test { client in
            let (id, paths) = try await link(client, more)
            #expect(try await statuses(paths, client) == [200, 200])
            try await decide("rejected", id, client)
            #expect(try await statuses(paths, client) == [403, 403])
            try await set(#"{"auto":true,"hold":true}"#, client)
            let new = try await link(client, more)
            #expect(try await statuses(new.paths, client) == [403, 403])
            _ = try await client.send("POST", "/1.1/files/\(new.id)/censor", nil, Who.master.headers)
            #expect(try await statuses(new.paths, client) == [200, 200])
        }
    }

    @Test("with `hold` other bytes of another server are not served before they are checked")
    func otherBytes() async throws {
        var server = server()
        let fetcher = ChangingFetcher()
        server.fetcher = fetcher
        try await server.test { [derivatives = server.derivatives] client in
            try await set(#"{"auto":true,"hold":true}"#, client)
            let (id, paths) = try await link(client)
            let check = "/1.1/files/\(id)/censor"
            _ = try await client.send("POST", check, nil, Who.master.headers)
            #expect(try await statuses(paths, client) == [200, 200])
            // As after a day, when the other server is asked again.
            derivatives.removeAll()
            #expect(try await statuses(paths, client) == [200, 200])
            fetcher.text.withLock { $0 = "other bytes" }
            derivatives.removeAll()
            #expect(try await statuses(paths, client) == [403, 403])
            let state = try await client.send("GET", check, nil, Who.master.headers).json()
            #expect(state["censorResult"] == "pending")
            _ = try await client.send("POST", check, nil, Who.master.headers)
            #expect(try await statuses(paths, client) == [200, 200])
        }
    }

    @Test("with `hold` a new image is served only after it passed; other files are served at once")
    func hold() async throws {
        try await server().test { client in
            let old = try await upload(client)
            try await set(#"{"auto":true,"hold":true}"#, client)
            let (new, text) = (try await upload(client), try await upload(client, "a.txt"))
            #expect(try await client.send("GET", old.path, nil, [:]).status == .ok)
            #expect(try await client.send("GET", text.path, nil, [:]).status == .ok)
            #expect(try await client.send("GET", new.path, nil, [:]).status == .forbidden)
            _ = try await client.send("POST", "/1.1/files/\(new.id)/censor", nil, Who.master.headers)
            #expect(try await client.send("GET", new.path, nil, [:]).status == .ok)
        }
    }

    @Test("with `auto` clients can cache images only for a while, and other files for ever")
    func caching() async throws {
        try await server().test { client in
            let (image, text) = (try await upload(client), try await upload(client, "a.txt"))
            let unlimited = "public, max-age=31536000, immutable"
            #expect(try await client.send("GET", image.path, nil, [:]).headers[.cacheControl] == unlimited)
            try await set(#"{"auto":true,"cacheSeconds":60}"#, client)
            let paths = [image.path, "\(image.path)?imageView2/2/w/10", "/1.1/files/\(image.id)/content"]
            for path in paths {
                let header = try await client.send("GET", path, nil, [:]).headers[.cacheControl]
                #expect(header == "public, max-age=60", "\(path)")
            }
            #expect(try await client.send("GET", text.path, nil, [:]).headers[.cacheControl] == unlimited)
        }
    }

    @Test(
        "with `auto` clients can cache images only for a while, also under another declared type",
        arguments: ["image/jpeg", "application/octet-stream", "text/plain", "application/pdf"]
    )
    func cachingByBytes(type: String) async throws {
        try await server().test { client in
            try await set(#"{"auto":true,"cacheSeconds":60}"#, client)
            var headers = Who.client.headers
            headers[.contentType] = type
            let bytes = ByteBuffer(bytes: [0xff, 0xd8, 0xff, 0x00])
            let made = try await client.execute(uri: "/1.1/files/a", method: .post, headers: headers, body: bytes)
            let key = try #require(try made.json()["key"]?.stringValue)
            for path in ["/\(key)", "/\(key)?imageView2/2/w/10"] {
                let header = try await client.send("GET", path, nil, [:]).headers[.cacheControl]
                #expect(header == "public, max-age=60", "\(path)")
            }
        }
    }

    @Test("another image can be served in place of blocked ones; it is never cached, and never blocked itself")
    func placeholder() async throws {
        try await server().test { client in
            let file = try await upload(client)
            let target = try await Target(client, #"{"name":"p.jpg","key":"placeholder.jpg"}"#, Who.master.headers)
            _ = try await target.call(.put, "", "placeholder")
            let list = try await client.send("GET", "/1.1/files?order=-createdAt&limit=1", nil, Who.master.headers)
            let newest = try list.json()["results"]?.arrayValue?.first?.objectValue
            let id = try #require(newest?["objectId"]?.stringValue)
            try await set(#"{"blockedImage":"\#(id)"}"#, client)
            try await decide("rejected", file.id, client)
            let response = try await client.send("GET", file.path, nil, [:])
            #expect(response.status == .ok)
            #expect(response.text == "placeholder")
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(try await client.send("GET", "\(file.path)?imageView2/2/w/10", nil, [:]).status == .ok)
            try await decide("rejected", id, client)
            #expect(try await client.send("GET", file.path, nil, [:]).status == .forbidden)
        }
    }

    @Test("a reviewer's address shows a blocked image; an address that differs in any part is refused")
    func preview() async throws {
        try await server().test { client in
            let file = try await upload(client)
            try await decide("rejected", file.id, client)
            let state = try await client.send("GET", "/1.1/files/\(file.id)/censor", nil, Who.master.headers).json()
            let url = try #require(state["thumbnailURL"]?.stringValue)
            let thumbnail = url.replacing("https://api.example.com", with: "")
            let shown = try await client.send("GET", thumbnail, nil, [:])
            #expect(shown.status == .ok)
            #expect(shown.headers[.cacheControl] == "no-store")
            let path = String(thumbnail.prefix { $0 != "?" })
            #expect(try await client.send("GET", path, nil, [:]).text == "hello")
            let wrong = [
                path.replacing("/app/", with: "/other/"), path.replacing("/app/", with: "/nobody/"), "\(path)0",
                path.replacing(file.id, with: "6b017ba12dd266ba0b930c5d"), String(path.dropLast()),
            ]
            for path in wrong { #expect(try await client.send("GET", path, nil, [:]).status == .forbidden, "\(path)") }
        }
    }

    @Test(
        "the verdict is shown to the master key only, and to the owner by a setting; queries by it need the master key"
    )
    func record() async throws {
        try await server().test { client in
            var user = Who.client.headers
            let signedUp = try await client.send("POST", "/1.1/users", #"{"username":"u","password":"p4ss"}"#).json()
            user[.known("X-LC-Session")] = signedUp["sessionToken"]?.stringValue
            let owner = try #require(signedUp["objectId"]?.stringValue)
            let body = """
                {"name":"a.jpg","url":"https://elsewhere.example/a.jpg","mime_type":"image/jpeg",\
                "metaData":{"owner":"\(owner)"}}
                """
            let id = try #require(
                try await client.send("POST", "/1.1/files", body, user).json()["objectId"]?.stringValue
            )
            try await decide("rejected", id, client)
            func shows(_ headers: HTTPFields) async throws -> Bool {
                try await client.send("GET", "/1.1/files/\(id)", nil, headers).json()["censorResult"] == "rejected"
            }
            #expect(try await shows(Who.master.headers))
            #expect(try await !shows(user))
            #expect(try await !shows(Who.client.headers))
            try await set(#"{"showToOwner":true}"#, client)
            #expect(try await shows(user))
            #expect(try await !shows(Who.client.headers))
            let query = "/1.1/files?where=%7B%22censorResult%22%3A%22rejected%22%7D"
            for (headers, count) in [(Who.master.headers, 1), (user, 0), (Who.client.headers, 0)] {
                let found = try await client.send("GET", query, nil, headers).json()["results"]?.arrayValue
                #expect(found?.count == count)
            }
        }
    }

    @Test("no caller can write the verdict or the log through the object routes")
    func writes() async throws {
        try await server().test { client in
            let file = try await upload(client)
            let change = #"{"censorResult":"passed"}"#
            for who in [Who.client, .master] {
                let response = try await client.send("PUT", "/1.1/files/\(file.id)", change, who.headers)
                #expect(response.status.code >= 400, "\(response.text)")
            }
            for name in ["_CensorLog", "_CensorJob", "_CensorRun", "_CensorSettings", "_KnownImage"] {
                for who in [Who.client, .master] {
                    let response = try await client.send("POST", "/1.1/classes/\(name)", #"{"a":1}"#, who.headers)
                    #expect(response.status.code >= 400, "\(name) \(who)")
                }
                #expect(try await client.send("GET", "/1.1/classes/\(name)").status.code >= 400)
            }
        }
    }
}

/// Another server whose file changes.
private final class ChangingFetcher: Fetcher {
    let text = Mutex("bytes")

    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        try await take(ByteBuffer(string: text.withLock(\.self)))
        return FetchedHead(mediaType: .jpeg)
    }
}
