import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct RouteTests {
    @Test("an error is JSON with code and error, and carries the request's id")
    func errorForm() async throws {
        try await TestServer().test { client in
            try await client.execute(uri: "/1.1/files", method: .get) { response in
                #expect(response.text == #"{"code":401,"error":"Unauthorized."}"#)
                #expect(response.headers[.contentType] == "application/json;charset=utf-8")
                #expect(response.headers[.cacheControl] == "no-cache,no-store")
                #expect(response.headers[.requestID]?.isEmpty == false)
            }
        }
    }

    @Test("an unexpected error is a plain 500 without its cause")
    func internalFailure() async throws {
        var server = TestServer()
        server.renderer = FixedRenderer(failure: ServiceError(.internalFailure, "Internal error.", cause: Broken()))
        try await server.test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            try await client.execute(uri: "/\(key)?imageView/2/w/1", method: .get) { response in
                #expect(response.status == .internalServerError)
                #expect(response.text == #"{"code":1,"error":"Internal error."}"#)
            }
        }
    }

    @Test(
        "too many new users of an address are 429, whose Retry-After says when it may make another",
        arguments: [
            "/1.1/users", "/1.1/classes/_User",
        ]
    )
    func signUps(path: String) async throws {
        var server = TestServer()
        server.accounts = AccountSettings(maxSignUps: 1)
        try await server.test { client in
            func signUp(_ name: String, _ who: Who = .client) async throws -> TestResponse {
                try await client.send("POST", path, #"{"username":"\#(name)","password":"p"}"#, who.headers)
            }
            #expect(try await signUp("ann").status == .created)
            let refused = try await signUp("bob")
            #expect(refused.status == .tooManyRequests)
            #expect(try refused.json()["code"] == .integer(429))
            let wait = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((3000...3600).contains(wait))
            #expect(try await signUp("bob", .master).status == .created)
        }
    }

    @Test("too many images are 429 with Retry-After")
    func overloaded() async throws {
        var server = TestServer()
        server.renderer = FixedRenderer(failure: ServiceError(.overloaded, "Too many."))
        try await server.test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            try await client.execute(uri: "/\(key)?imageView/2/w/1", method: .get) { response in
                #expect(response.status == .tooManyRequests)
                #expect(response.headers[.retryAfter] == "1")
            }
        }
    }

    @Test("a name in the path can have slashes with the master key only", arguments: [Who.client, .master])
    func slashes(who: Who) async throws {
        try await TestServer().test { client in
            let response = try await client.execute(
                uri: "/1.1/files/d%2Fa.txt",
                method: .post,
                headers: who.headers,
                body: ByteBuffer(string: "abc")
            )
            #expect(response.status == (who == .master ? .created : .badRequest))
            #expect(try response.json()["name"] == (who == .master ? JSONValue.string("d/a.txt") : nil))
        }
    }

    @Test("records have exactly the fields of the reference")
    func record() async throws {
        try await TestServer().test { client in
            let record = try await client.upload("%E7%85%A7%E7%89%87.txt", "abc")
            #expect(
                Set(record.keys) == [
                    "objectId", "key", "name", "url", "mime_type", "bucket", "provider", "metaData", "createdAt",
                    "updatedAt",
                ]
            )
            #expect(record["name"] == .string("照片.txt"))
            #expect(record["bucket"] == .string("app"))
            #expect(record["url"]?.stringValue == "https://files.example.com/\(record["key"]?.stringValue ?? "")")
            #expect(record["createdAt"] == record["updatedAt"])
        }
    }

    @Test(
        "lists page, count and refuse what they do not understand",
        arguments: [
            ("", 200, 3), ("?limit=2", 200, 2), ("?limit=2&skip=2", 200, 1), ("?limit=0&count=1", 200, 0),
            ("?limit=99999", 200, 3), ("?order=-createdAt", 200, 3), ("?where=", 200, 3),
            ("?skip=-1", 400, 0), ("?limit=x", 400, 0), ("?where=%7B%7D", 200, 3), ("?where=%7B%22a%22:1%7D", 200, 0),
            ("?where=%7B%22name%22:%22b.txt%22%7D", 200, 1), ("?order=-name", 200, 3), ("?where=%7B", 400, 0),
        ]
    )
    func list(query: String, status: Int, count: Int) async throws {
        try await TestServer().test { client in
            for name in ["a", "b", "c"] { _ = try await client.upload("\(name).txt") }
            try await client.execute(uri: "/1.1/classes/_File\(query)", method: .get, headers: Who.client.headers) {
                response in
                #expect(response.status.code == status)
                guard status == 200 else { return }
                guard case .array(let results)? = try response.json()["results"] else {
                    Issue.record("the answer has no list of results")
                    return
                }
                #expect(results.count == count)
                let total = try response.json()["count"]
                #expect(total == (query.contains("count") ? .integer(3) : nil))
            }
        }
    }

    @Test(
        "a tunnelled request is the request in its body",
        arguments: [
            (#"{"_method":"GET","_ApplicationId":"app","_ApplicationKey":"app-key","limit":0,"count":1}"#, 200),
            (#"{"_method":"GET","_ApplicationId":"app","_MasterKey":"master-key"}"#, 200),
            (#"{"_method":"GET","_ApplicationId":"app","_ApplicationKey":"wrong"}"#, 401),
            (#"{"_method":"GET","_ApplicationId":"app","_ApplicationKey":"app-key\r\nX: y"}"#, 400),
            (#"{"_method":"TRACE","_ApplicationId":"app","_ApplicationKey":"app-key"}"#, 400),
            ("[]", 400), ("{", 400), ("", 400),
        ]
    )
    func tunnel(body: String, status: Int) async throws {
        try await TestServer().test { client in
            try await client.execute(
                uri: "/1.1/classes/_File",
                method: .post,
                headers: [.contentType: "text/plain;charset=UTF-8"],
                body: ByteBuffer(string: body)
            ) { response in
                #expect(response.status.code == status)
            }
        }
    }

    @Test(
        "a missing file is 404 as a file and empty as an object",
        arguments: [("files", 404), ("classes/_File", 200), ("classes/_file", 200), ("classes/files", 200)]
    )
    func missing(collection: String, status: Int) async throws {
        try await TestServer().test { client in
            let uri = "/1.1/\(collection)/6632f1b7c3d4e5f60718293b"
            try await client.execute(uri: uri, method: .get, headers: Who.client.headers) { response in
                #expect(response.status.code == status)
                #expect(
                    response.text == (status == 200 ? "{}" : #"{"code":101,"error":"Class or object doesn't exists."}"#)
                )
            }
        }
    }

    @Test("a tunnelled upload is its Base64, and its fields are not stored as a file")
    func tunnelledUpload() async throws {
        let server = TestServer()
        try await server.test { client in
            let body = #"{"_ApplicationId":"app","_ApplicationKey":"app-key","base64":"aGVsbG8="}"#
            try await client.execute(
                uri: "/1.1/files/a.txt",
                method: .post,
                headers: [.contentType: "text/plain"],
                body: ByteBuffer(string: body)
            ) { response in
                #expect(response.status == .created)
                #expect(response.text.contains(#""size":5"#))
            }
        }
        #expect(server.blobs.count == 1)
    }

    @Test("a tunnelled body beyond the limit is 413")
    func tunnelLimit() async throws {
        try await TestServer().test { client in
            let body = ByteBuffer(string: #"{"x":""# + String(repeating: "x", count: 1 << 16) + #""}"#)
            try await client.execute(
                uri: "/1.1/files",
                method: .post,
                headers: [.contentType: "text/plain"],
                body: body
            ) {
                #expect($0.status == .contentTooLarge)
            }
        }
    }

    @Test("a text file sent raw with credentials in headers is no tunnel")
    func rawText() async throws {
        try await TestServer().test { client in
            let record = try await client.upload("a.txt", "not json", as: "text/plain")
            #expect(record["mime_type"] == .string("text/plain"))
        }
    }

    @Test("browsers are told which headers they may send")
    func preflight() async throws {
        try await TestServer().test { client in
            let headers: HTTPFields = [.origin: "https://app.example.com", .accessControlRequestMethod: "POST"]
            try await client.execute(uri: "/1.1/files", method: .options, headers: headers) { response in
                #expect(response.status == .noContent)
                #expect(response.headers[.accessControlAllowOrigin] == "*")
                for name in [
                    "x-lc-id", "x-lc-key", "x-lc-sign", "x-lc-session", "content-type", "x-avoscloud-master-key",
                ] {
                    #expect(response.headers[.accessControlAllowHeaders]?.contains(name) == true)
                }
            }
        }
    }
}
