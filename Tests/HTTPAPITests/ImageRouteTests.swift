import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Image operators behind a file's URL (docs/image-options.md, sections 7 and 8).
@Suite struct ImageRouteTests {
    private let renderer = FixedRenderer()

    private func server(_ change: (inout TestServer) -> Void = { _ in }) -> TestServer {
        var server = TestServer()
        server.renderer = renderer
        change(&server)
        return server
    }

    /// Uploads `hello` and requests it with operators.
    private func get(
        _ query: String,
        _ headers: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        of server: TestServer? = nil
    ) async throws -> TestResponse {
        try await (server ?? self.server()).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            return try await client.execute(uri: "/\(key)\(query)", method: method, headers: headers)
        }
    }

    @Test(
        "operators give an image in the format that they say, or in the source's",
        arguments: [
            ("?imageView2/2/w/10", "image/jpeg"), ("?imageView2/2/w/10/format/webp", "image/webp"),
            ("?imageMogr2/thumbnail/10x/format/png|imageView2/2/w/5", "image/png"),
            ("?imageMogr2%2Fformat%2Fgif", "image/gif"), ("?imageView2/2/w/10&v=3", "image/jpeg"),
            ("?imageMogr2/format/AVIF&attname=b.avif", "image/avif"),
            ("?imageMogr2%2Fformat%2Fwebp=&v=1", "image/webp"),
        ]
    )
    func operators(query: String, type: String) async throws {
        let response = try await get(query)
        #expect(response.status == .ok)
        #expect(response.text == "thumbnail")
        #expect(response.headers[.contentType] == type)
        #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(response.headers[.accessControlAllowOrigin] == "*")
        #expect(response.headers[.accessControlExposeHeaders]?.contains("Content-Range") == true)
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(response.headers[.vary] == nil)
        let isNamed = response.headers[.contentDisposition]?.contains("b.avif") ?? false
        #expect(isNamed == query.contains("attname"))
    }

    @Test(
        "parameters that are no operators give the file itself",
        arguments: ["", "?v=3", "?a=b/c", "?", "?&imageInfo", "?v%3D3", "?v=%zz"]
    )
    func noWords(query: String) async throws {
        let response = try await get(query)
        #expect(response.text == "hello")
        #expect(renderer.made.value == 0)
    }

    @Test(
        "what is not understood is refused, names the parameter and is not cached",
        arguments: [
            ("?imageView2/9/w/1", "'imageView2' needs a mode"),
            ("?imageView3/1/w/1", "imageView3"), ("?imageView2/2/w/1/x/1", "'x'"),
            ("?imageMogr2/thumbnail/1x1|", "an operator is missing"), ("?stat|imageInfo", "stat"),
        ]
    )
    func refused(query: String, parameter: String) async throws {
        let response = try await get(query.replacing("|", with: "%7C"), [.origin: "https://a.example"])
        #expect(response.status == .badRequest)
        let body = try response.json()
        #expect(Set(body.keys) == ["code", "error"])
        #expect(body["code"] == .integer(400))
        #expect(body["error"]?.stringValue?.contains(parameter) == true, "\(response.text)")
        #expect(response.headers[.cacheControl]?.contains("no-store") == true)
        #expect(response.headers[.accessControlAllowOrigin] == "*")
    }

    @Test(
        "failures have their status and are not cached",
        arguments: [
            (.notAnImage, 400), (.imageTooLarge, 400), (.imageTimedOut, 400), (.overloaded, 429),
            (.internalFailure, 500),
        ] as [(ServiceError.Code, Int)]
    )
    func failures(code: ServiceError.Code, status: Int) async throws {
        let server = server { $0.renderer = FixedRenderer(failure: ServiceError(code, "A sentence.")) }
        for query in ["?imageView2/2/w/10", "?imageInfo", "?exif", "?imageAve"] {
            let response = try await get(query, of: server)
            #expect(response.status.code == status)
            #expect(try response.json()["error"] == .string("A sentence."))
            #expect(response.headers[.cacheControl]?.contains("no-store") == true)
            #expect(response.headers[.retryAfter] == (status == 429 ? "1" : nil))
        }
    }

    @Test("operators on a file that there is not are 404", arguments: ["?imageView2/2/w/1", "?imageInfo", "?nonsense"])
    func missing(query: String) async throws {
        try await TestServer().test { client in
            let response = try await client.send("GET", "/nosuchkey\(query)", nil, [:])
            #expect(response.status == .notFound)
        }
    }

    @Test("a failure that is to be ignored gives the file itself")
    func ignored() async throws {
        let failing = server { $0.renderer = FixedRenderer(failure: ServiceError(.notAnImage, "No image.")) }
        let response = try await get("?imageView2/2/w/10/ignore-error/1", of: failing)
        #expect(response.status == .ok)
        #expect(response.text == "hello")
        #expect(response.headers[.cacheControl] == "public, max-age=60")
        let unchanged = try await get("?imageslim")
        #expect(unchanged.text == "hello")
        #expect(unchanged.headers[.cacheControl] == "public, max-age=31536000, immutable")
        let refused = try await get("?imageView2/9/w/10/ignore-error/1", of: failing)
        #expect(refused.status == .badRequest)
    }

    @Test("HEAD has the headers of GET and no body", arguments: ["?imageView2/2/w/10", "?imageInfo", "?nonsense"])
    func head(query: String) async throws {
        let get = try await get(query)
        let head = try await self.get(query, method: .head)
        #expect(head.status == get.status)
        #expect(head.text.isEmpty)
        for name in [HTTPField.Name.contentType, .eTag, .cacheControl] {
            #expect(head.headers[name] == get.headers[name], "\(name)")
        }
        if get.status == .ok { #expect(head.headers[.contentLength] == get.headers[.contentLength]) }
    }

    @Test("an image has a strong ETag, and a request with it gets 304")
    func unchanged() async throws {
        try await server().test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            let uri = "/\(key)?imageView2/2/w/10"
            let tag = try #require(try await client.execute(uri: uri, method: .get).headers[.eTag])
            #expect(tag.hasPrefix("\"") && tag.count == 34)
            let again = try await client.execute(uri: uri, method: .get, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.text.isEmpty)
            let file = try await client.execute(uri: "/\(key)", method: .get, headers: [.ifNoneMatch: tag])
            #expect(file.status == .ok)
        }
    }

    @Test(
        "ranges of an image are served",
        arguments: [
            ("bytes=0-4", 206, "thumb", "bytes 0-4/9"), ("bytes=-4", 206, "nail", "bytes 5-8/9"),
            ("bytes=9-", 416, "", "bytes */9"), ("bytes=0-1,0-", 200, "thumbnail", nil),
        ] as [(String, Int, String, String?)]
    )
    func ranges(range: String, status: Int, body: String, contentRange: String?) async throws {
        let response = try await get("?imageView2/2/w/10", [.range: range])
        #expect(response.status.code == status)
        #expect(response.text == body)
        #expect(response.headers[.contentRange] == contentRange)
    }

    @Test(
        "a range of the answer to operators goes on with its tag, not with a date, which other bytes may have had",
        arguments: ["?imageView2/2/w/10", "?imageslim"]
    )
    func ifRange(query: String) async throws {
        try await server().test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            let uri = "/\(key)\(query)"
            let whole = try await client.execute(uri: uri, method: .get)
            let tag = try #require(whole.headers[.eTag])
            let date = try #require(whole.headers[.lastModified])
            for (condition, status) in [(tag, 206), (date, 200), ("W/\(tag)", 200)] {
                let headers: HTTPFields = [.range: "bytes=0-1", .ifRange: condition]
                let response = try await client.execute(uri: uri, method: .get, headers: headers)
                #expect(response.status.code == status, "\(condition)")
            }
        }
    }

    @Test("an image is made once, also for those who write its parameters in another way")
    func kept() async throws {
        let server = server()
        try await server.test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            for operators in ["imageView2/2/w/10/h/20", "imageView2/2/h/20.0/w/10", "imageView2%2F2/w/10/h/20/&v=1"] {
                let response = try await client.execute(uri: "/\(key)?\(operators)", method: .get)
                #expect(response.text == "thumbnail")
            }
        }
        #expect(renderer.made.value == 1)
        #expect(server.derivatives.count <= 1)
    }

    @Test("a deleted file takes its images along")
    func deleted() async throws {
        let server = server()
        try await server.test { client in
            let record = try await client.upload("a.jpg")
            let key = record["key"]?.stringValue ?? ""
            let id = record["objectId"]?.stringValue ?? ""
            _ = try await client.execute(uri: "/\(key)?imageView2/2/w/10", method: .get)
            let deleted = try await client.send("DELETE", "/1.1/files/\(id)", nil, Who.master.headers)
            #expect(deleted.status == .ok)
            let gone = try await client.send("GET", "/\(key)?imageView2/2/w/10", nil, [:])
            #expect(gone.status == .notFound)
        }
        #expect(server.derivatives.count == 0)
    }
}
