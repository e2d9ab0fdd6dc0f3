import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// `/1.1/files/<id>/content`: the bytes behind a record, wherever they lie (docs/image-options.md, section 12).
@Suite struct ContentRouteTests {
    private let fetcher = FixedFetcher()

    private func server(_ failure: ServiceError? = nil) -> TestServer {
        var server = TestServer()
        server.fetcher = failure.map { FixedFetcher(failure: $0) } ?? fetcher
        return server
    }

    /// Makes the record of a file elsewhere; gives the path of its content.
    @Sendable private func make(_ client: TestClient, acl: String = "{}") async throws -> String {
        let body = #"{"name":"a.jpg","url":"https://elsewhere.example/a.jpg","ACL":\#(acl)}"#
        let acl = acl == "{}" ? body.replacing(#","ACL":{}"#, with: "") : body
        let response = try await client.send("POST", "/1.1/files", acl)
        #expect(response.status == .created, "\(response.text)")
        return "/1.1/files/\(try #require(try response.json()["objectId"]?.stringValue))/content"
    }

    /// A user, as the headers of a request.
    @Sendable private func user(_ client: TestClient, _ name: String) async throws -> (String, HTTPFields) {
        let body = #"{"username":"\#(name)","password":"p4ss"}"#
        let user = try await client.send("POST", "/1.1/users", body).json()
        let token = try #require(user["sessionToken"]?.stringValue)
        return (
            try #require(user["objectId"]?.stringValue), Who.client.headers.merging([.known("X-LC-Session"): token])
        )
    }

    @Test("a file that lies elsewhere is served, and fetched once")
    func elsewhere() async throws {
        let server = server()
        try await server.test { client in
            let path = try await make(client)
            let first = try await client.send("GET", path, nil, [:])
            #expect(first.status == .ok)
            #expect(first.text == "elsewhere")
            #expect(first.headers[.contentType] == "image/jpeg")
            #expect(first.headers[.cacheControl] == "public, max-age=3600")
            let tag = try #require(first.headers[.eTag])
            #expect(try await client.send("GET", path, nil, [.ifNoneMatch: tag]).status == .notModified)
            #expect(try await client.send("GET", path, nil, [.range: "bytes=0-3"]).text == "else")
            let head = try await client.send("HEAD", path, nil, [:])
            #expect(head.headers[.contentLength] == "9" && head.text.isEmpty)
            let picture = try await client.send("GET", "\(path)?imageView2/2/w/10/format/webp", nil, [:])
            #expect(picture.text == "thumbnail")
            #expect(picture.headers[.contentType] == "image/webp")
            #expect(picture.headers[.cacheControl] == "public, max-age=3600")
        }
        #expect(fetcher.fetched.value == 1)
    }

    @Test("a range of what lies elsewhere goes on with its tag, not with a date, because its bytes may change")
    func ifRange() async throws {
        try await server().test { client in
            let path = try await make(client)
            let tag = try #require(try await client.send("GET", path, nil, [:]).headers[.eTag])
            let sameBytes = try await client.send("GET", path, nil, [.range: "bytes=0-3", .ifRange: tag])
            #expect(sameBytes.text == "else")
            let date = Timestamp.now().httpDate
            let sameDate = try await client.send("GET", path, nil, [.range: "bytes=0-3", .ifRange: date])
            #expect(sameDate.text == "elsewhere")
        }
    }

    @Test("a file that lies here is served, too")
    func here() async throws {
        try await server().test { client in
            let id = try await client.upload("a.jpg")["objectId"]?.stringValue ?? ""
            let response = try await client.send("GET", "/1.1/files/\(id)/content", nil, [:])
            #expect(response.text == "hello")
            // The bytes never change, but who may read the record does.
            #expect(response.headers[.cacheControl] == "public, max-age=3600")
            let operators = try await client.send("GET", "/1/files/\(id)/content?imageView2/2/w/1", nil, [:])
            #expect(operators.text == "thumbnail")
        }
        #expect(fetcher.fetched.value == 0)
    }

    @Test(
        "every caller with valid keys can read a record without an ACL",
        arguments: [
            (Who.guest, 200), (.client, 200), (.master, 200), (.stranger, 404),
        ]
    )
    func anybody(who: Who, status: Int) async throws {
        try await server().test { client in
            let path = try await make(client)
            #expect(try await client.send("GET", path, nil, who.headers).status.code == status)
        }
    }

    @Test("what was shown for keys is no cache's to give away", arguments: ["", "?imageView2/2/w/1"])
    func caching(operators: String) async throws {
        try await server().test { client in
            let path = try await make(client) + operators
            let own = try await client.send("GET", path, nil, Who.client.headers)
            #expect(own.headers[.cacheControl] == "private, no-cache")
            for headers in [[:], Who.client.headers] as [HTTPFields] {
                let vary = try await client.send("GET", path, nil, headers).headers[.vary] ?? ""
                for name in ["X-LC-Id", "X-LC-Key", "X-LC-Sign", "X-LC-Session"] { #expect(vary.contains(name)) }
            }
        }
    }

    @Test("a record that only its owner may read does not exist for others")
    func guarded() async throws {
        try await server().test { client in
            let (owner, headers) = try await user(client, "owner")
            let (_, others) = try await user(client, "other")
            let path = try await make(client, acl: #"{"\#(owner)":{"read":true}}"#)
            #expect(try await client.send("GET", path, nil, headers).text == "elsewhere")
            #expect(try await client.send("GET", path, nil, Who.master.headers).text == "elsewhere")
            for refused in [others, Who.client.headers, Who.stranger.headers, [:]] {
                for operators in ["", "?imageView2/2/w/10", "?stat"] {
                    let response = try await client.send("GET", path + operators, nil, refused)
                    #expect(response.status == .notFound)
                    #expect(response.text == #"{"code":404,"error":"File not found."}"#)
                }
            }
        }
    }

    @Test("a session without keys counts for nothing")
    func sessionAlone() async throws {
        try await server().test { client in
            let (owner, headers) = try await user(client, "owner")
            let path = try await make(client, acl: #"{"\#(owner)":{"read":true}}"#)
            let session: HTTPFields = [.known("X-LC-Session"): headers[.known("X-LC-Session")] ?? ""]
            #expect(try await client.send("GET", path, nil, session).status == .notFound)
        }
    }

    @Test(
        "wrong keys are 401, also where none are needed",
        arguments: [("app", "wrong"), ("app", "other-key"), ("nosuch", "app-key"), ("app", "wrong,master")]
    )
    func wrongKey(id: String, key: String) async throws {
        try await server().test { client in
            let path = try await make(client)
            let headers: HTTPFields = [.known("X-LC-Id"): id, .known("X-LC-Key"): key]
            #expect(try await client.send("GET", path, nil, headers).status == .unauthorized)
        }
    }

    @Test(
        "what is no record is 404",
        arguments: ["6632f1b7c3d4e5f60718293b", "x", "%2e%2e", "6632f1b7c3d4e5f60718293b0", "%00"]
    )
    func unknown(id: String) async throws {
        try await server().test { client in
            for headers in [[:], Who.client.headers, Who.master.headers] as [HTTPFields] {
                let response = try await client.send("GET", "/1.1/files/\(id)/content", nil, headers)
                #expect(response.status == .notFound)
            }
        }
    }

    @Test("a record of another app is found without keys, and with that app's keys only")
    func otherApp() async throws {
        try await server().test { client in
            let body = #"{"name":"a.jpg","url":"https://elsewhere.example/a.jpg"}"#
            let made = try await client.send("POST", "/1.1/files", body, Who.stranger.headers).json()
            let path = "/1.1/files/\(made["objectId"]?.stringValue ?? "")/content"
            #expect(try await client.send("GET", path, nil, [:]).status == .ok)
            #expect(try await client.send("GET", path, nil, Who.stranger.headers).status == .ok)
            #expect(try await client.send("GET", path, nil, Who.client.headers).status == .notFound)
            #expect(try await client.send("GET", path, nil, Who.master.headers).status == .notFound)
        }
    }

    @Test(
        "what cannot be fetched is refused, and nothing is kept",
        arguments: [(.badRequest, 400), (.timedOut, 400), (.overloaded, 429), (.payloadTooLarge, 413)]
            as [(ServiceError.Code, Int)]
    )
    func unfetched(code: ServiceError.Code, status: Int) async throws {
        let server = server(ServiceError(code, "A sentence."))
        try await server.test { client in
            let path = try await make(client)
            for operators in ["", "?imageInfo"] {
                let response = try await client.send("GET", path + operators, nil, [:])
                #expect(response.status.code == status)
                #expect(response.headers[.cacheControl]?.contains("no-store") == true)
            }
        }
        #expect(server.derivatives.count == 0)
    }

    @Test("a file larger than the limit is refused by name")
    func tooLarge() async throws {
        var server = server()
        server.images.limits.sourceSize = 8
        try await server.test { client in
            let response = try await client.send("GET", try await make(client), nil, [:])
            #expect(response.status == .badRequest)
            #expect(response.text.contains("images.maxSourceSize"))
        }
    }

    private func watermark(_ text: String) -> String { "watermark/1/image/\(Array(text.utf8).base64URL)" }

    @Test(
        "a mark is a file of the app, by every name that it has",
        arguments: ["https://files.example.com/", "http://localhost/", "kodo://app/", ""]
    )
    func mark(origin: String) async throws {
        try await server().test { client in
            let path = try await make(client)
            let key = try await client.upload("mark.png")["key"]?.stringValue ?? ""
            let response = try await client.send("GET", "\(path)?\(watermark(origin + key))", nil, [:])
            #expect(response.status == .ok)
            #expect(response.text == "thumbnail")
        }
    }

    @Test("a mark that is no file of the app is refused before anything is fetched")
    func otherMark() async throws {
        try await server().test { client in
            let path = try await make(client)
            for text in ["https://elsewhere.example/a.png", "kodo://other/a.png"] {
                let response = try await client.send("GET", "\(path)?\(watermark(text))", nil, [:])
                #expect(response.status == .badRequest)
                #expect(response.text.contains("must be the Base64 of a file of this app"))
            }
        }
        #expect(fetcher.fetched.value == 0)
    }
}
