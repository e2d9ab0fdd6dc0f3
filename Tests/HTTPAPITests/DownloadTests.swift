import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct DownloadTests {
    /// Uploads `0123456789` and asks for it with headers.
    private func get(
        _ headers: HTTPFields = [:],
        name: String = "a.txt",
        query: String = "",
        _ check: @escaping @Sendable (TestResponse, String) throws -> Void
    ) async throws {
        try await TestServer().test { client in
            let key = try await client.upload(name, "0123456789")["key"]?.stringValue ?? ""
            let tag = try await client.execute(uri: "/\(key)", method: .head) { $0.headers[.eTag] ?? "" }
            var headers = headers
            if let value = headers[.ifNoneMatch] { headers[.ifNoneMatch] = value.replacing("<tag>", with: tag) }
            if let value = headers[.ifRange] { headers[.ifRange] = value.replacing("<tag>", with: tag) }
            try await client.execute(uri: "/\(key)\(query)", method: .get, headers: headers) { try check($0, tag) }
        }
    }

    @Test("a file is served with everything that lets caches keep it for ever")
    func headers() async throws {
        try await get { response, tag in
            #expect(response.text == "0123456789")
            #expect(response.headers[.contentType] == "text/plain")
            #expect(response.headers[.contentLength] == "10")
            #expect(tag.hasPrefix("\"") && tag.count == 30)
            #expect(response.headers[.lastModified]?.hasSuffix(" GMT") == true)
            #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(response.headers[.acceptRanges] == "bytes")
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test(
        "scripts of other origins can read the fields of ranges, and no origin makes a difference",
        arguments: [
            [:], [.range: "bytes=2-4"], [.range: "bytes=10-"], [.ifNoneMatch: "<tag>"], [.origin: "https://a.example"],
        ] as [HTTPFields]
    )
    func exposed(headers: HTTPFields) async throws {
        try await get(headers) { response, _ in
            #expect(
                response.headers[values: .accessControlExposeHeaders] == [
                    "ETag, Content-Length, Content-Range, Accept-Ranges, Content-Disposition, Repr-Digest, X-Request-Id"
                ]
            )
        }
    }

    @Test("a part of a file that is on no disk is read in pieces, and nothing else of it")
    func remoteRange() async throws {
        let text = String((0..<100_000).map { "line \($0 % 1000)\n" }.joined().prefix(900_000))
        let blobs = MemoryBlobStore(isLocal: false)
        try await TestServer(blobs: blobs).test { client in
            let key = try await client.upload("a.txt", text)["key"]?.stringValue ?? ""
            #expect(blobs.reads == [])
            let range: HTTPFields = [.range: "bytes=100000-699999"]
            try await client.execute(uri: "/\(key)", method: .get, headers: range) { response in
                #expect(response.status.code == 206)
                #expect(response.text == String(text.dropFirst(100_000).prefix(600_000)))
            }
            #expect(blobs.reads == [100_000..<362_144, 362_144..<624_288, 624_288..<700_000])
            try await client.execute(uri: "/\(key)", method: .get) { #expect($0.text == text) }
        }
    }

    @Test(
        "ranges are served, impossible ones refused, malformed ones passed over",
        arguments: [
            ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=3-", 206, "3456789", "bytes 3-9/10"),
            ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=5-99", 206, "56789", "bytes 5-9/10"),
            ("bytes=-99", 206, "0123456789", "bytes 0-9/10"), ("Bytes=9-9", 206, "9", "bytes 9-9/10"),
            ("bytes=10-", 416, "", "bytes */10"), ("bytes=-0", 416, "", "bytes */10"),
            ("bytes=99999999999999999999-", 416, "", "bytes */10"),
            ("bytes=0-1,2-4", 206, "01234", "bytes 0-4/10"), ("bytes=3-1", 200, "0123456789", nil),
            ("bytes=-", 200, "0123456789", nil), ("bytes=a-b", 200, "0123456789", nil),
            ("lines=0-1", 200, "0123456789", nil),
            ("bytes=--1", 200, "0123456789", nil),
        ] as [(String, Int, String, String?)]
    )
    func ranges(range: String, status: Int, body: String, contentRange: String?) async throws {
        try await get([.range: range]) { response, _ in
            #expect(response.status.code == status)
            #expect(response.text == body)
            #expect(response.headers[.contentRange] == contentRange)
        }
    }

    @Test("several ranges of a file are the parts of one body", arguments: [true, false])
    func severalRanges(isLocal: Bool) async throws {
        try await TestServer(blobs: MemoryBlobStore(isLocal: isLocal)).test { client in
            let key = try await client.upload("a.txt", "0123456789")["key"]?.stringValue ?? ""
            let range: HTTPFields = [.range: "bytes=7-8,0-1,3-3"]
            let response = try await client.execute(uri: "/\(key)", method: .get, headers: range)
            #expect(response.status.code == 206)
            #expect(response.headers[.contentRange] == nil)
            let type = try #require(response.headers[.contentType])
            let boundary = try #require(type.split(separator: "boundary=").last)
            #expect(type == "multipart/byteranges; boundary=\(boundary)")
            let parts = [("7-8", "78"), ("0-1", "01"), ("3-3", "3")].map { range, bytes in
                "--\(boundary)\r\nContent-Type: text/plain\r\nContent-Range: bytes \(range)/10\r\n\r\n\(bytes)\r\n"
            }
            #expect(response.text == parts.joined() + "--\(boundary)--\r\n")
            #expect(response.headers[.contentLength] == String(response.body.readableBytes))
        }
    }

    @Test(
        "refusals of conditions and ranges are in no cache",
        arguments: [[.range: "bytes=10-"], [.ifMatch: "\"x\""]] as [HTTPFields]
    )
    func refusals(headers: HTTPFields) async throws {
        try await get(headers) { response, tag in
            #expect([412, 416].contains(response.status.code))
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(response.headers[.eTag] == tag)
            #expect(response.headers[.contentType] == nil)
            #expect(response.headers[.contentLength] == "0")
        }
    }

    @Test("a 304 does not describe content")
    func notModified() async throws {
        try await get([.ifNoneMatch: "<tag>"]) { response, tag in
            #expect(response.headers[.eTag] == tag)
            #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(response.headers[.contentType] == nil)
            #expect(response.headers[.contentLength] == nil)
        }
    }

    @Test("If-Match is checked before If-None-Match")
    func expectationBeforeKnowledge() async throws {
        try await get([.ifMatch: "*", .ifNoneMatch: "<tag>"]) { response, _ in #expect(response.status.code == 304) }
        try await get([.ifMatch: "\"x\"", .ifNoneMatch: "<tag>"]) { response, _ in
            #expect(response.status.code == 412)
        }
    }

    @Test(
        "a range counts only for the representation it was meant for",
        arguments: [("<tag>", 206), ("\"other\"", 200)]
    )
    func ifRange(tag: String, status: Int) async throws {
        try await get([.range: "bytes=0-0", .ifRange: tag]) { response, _ in #expect(response.status.code == status) }
    }

    @Test("a range of a file goes on with its date, because its bytes never change")
    func ifRangeDate() async throws {
        try await TestServer().test { client in
            let key = try await client.upload("a.txt", "0123456789")["key"]?.stringValue ?? ""
            let date = try #require(try await client.execute(uri: "/\(key)", method: .head).headers[.lastModified])
            let headers: HTTPFields = [.range: "bytes=0-3", .ifRange: date]
            #expect(try await client.execute(uri: "/\(key)", method: .get, headers: headers).text == "0123")
        }
    }

    @Test(
        "a client that has the bytes gets 304",
        arguments: [
            ("<tag>", 304), ("W/<tag>", 304), ("\"x\", <tag>", 304), ("*", 304), ("\"x\"", 200), ("", 200),
            ("<tag> x", 200), ("\"a,*,b\"", 200), ("*, \"x\"", 200),
        ]
    )
    func ifNoneMatch(tags: String, status: Int) async throws {
        try await get([.ifNoneMatch: tags]) { response, _ in
            #expect(response.status.code == status)
            #expect(response.text == (status == 304 ? "" : "0123456789"))
            #expect(response.headers[.contentLength] == (status == 304 ? nil : "10"))
        }
    }

    @Test(
        "what a client expects of the bytes must hold, or it gets 412",
        arguments: [
            (.ifMatch, "<tag>", 200), (.ifMatch, "\"x\", <tag>", 200), (.ifMatch, "*", 200), (.ifMatch, "\"x\"", 412),
            (.ifMatch, "W/<tag>", 412), (.ifMatch, "", 412),
            (.ifUnmodifiedSince, "Sun, 06 Nov 1994 08:49:37 GMT", 412),
            (.ifUnmodifiedSince, "Sunday, 06-Nov-94 08:49:37 GMT", 412),
            (.ifUnmodifiedSince, "Sun Nov  6 08:49:37 1994", 412),
            (.ifUnmodifiedSince, "Fri, 06 Nov 2093 08:49:37 GMT", 200), (.ifUnmodifiedSince, "yesterday", 200),
        ] as [(HTTPField.Name, String, Int)],
        ["", "?imageView/2/w/10"]
    )
    func expectations(condition: (name: HTTPField.Name, value: String, status: Int), query: String) async throws {
        try await TestServer().test { client in
            let key = try await client.upload("a.jpg", "0123456789")["key"]?.stringValue ?? ""
            let uri = "/\(key)\(query)"
            let tag = try await client.execute(uri: uri, method: .get) { $0.headers[.eTag] ?? "" }
            let headers: HTTPFields = [condition.name: condition.value.replacing("<tag>", with: tag)]
            for method in [HTTPRequest.Method.get, .head] {
                try await client.execute(uri: uri, method: method, headers: headers) { response in
                    #expect(response.status.code == condition.status)
                    if condition.status == 412 { #expect(response.text == "") }
                }
            }
        }
    }

    @Test("If-Unmodified-Since counts only without If-Match")
    func expectationOrder() async throws {
        let old = "Sun, 06 Nov 1994 08:49:37 GMT"
        try await get([.ifMatch: "*", .ifUnmodifiedSince: old]) { response, _ in #expect(response.status == .ok) }
    }

    @Test("a known date gives 304 and goes on with a range, in each of its forms")
    func oldDates() async throws {
        try await TestServer().test { client in
            let key = try await client.upload("a.txt", "0123456789")["key"]?.stringValue ?? ""
            let date = try #require(try await client.execute(uri: "/\(key)", method: .head).headers[.lastModified])
            let words = date.split { " ,".contains($0) }.map(String.init)
            let long = [
                "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
                "Sat": "Saturday",
                "Sun": "Sunday",
            ]
            let day = words[1].hasPrefix("0") ? " \(words[1].dropFirst())" : words[1]
            let old = [
                "\(long[words[0]] ?? ""), \(words[1])-\(words[2])-\(words[3].suffix(2)) \(words[4]) GMT",
                "\(words[0]) \(words[2]) \(day) \(words[4]) \(words[3])",
            ]
            for form in old + [date] {
                let known: HTTPFields = [.ifModifiedSince: form]
                #expect(try await client.execute(uri: "/\(key)", method: .get, headers: known).status == .notModified)
                let part: HTTPFields = [.range: "bytes=0-3", .ifRange: form]
                #expect(try await client.execute(uri: "/\(key)", method: .get, headers: part).text == "0123")
            }
        }
    }

    @Test("a page of another site may send what downloads can be asked with")
    func preflight() async throws {
        try await TestServer().test { client in
            let headers: HTTPFields = [
                .origin: "https://app.example.com", .accessControlRequestMethod: "GET",
                .accessControlRequestHeaders: "range, if-none-match",
            ]
            try await client.execute(uri: "/x.jpg", method: .options, headers: headers) { response in
                let allowed = response.headers[.accessControlAllowHeaders]?.lowercased() ?? ""
                let wanted = [
                    "range", "if-none-match", "if-match", "if-modified-since", "if-unmodified-since", "if-range",
                ]
                for name in wanted { #expect(allowed.contains(name)) }
            }
        }
    }

    @Test(
        "what could run in a browser runs in a sandbox",
        arguments: [
            ("text/html", true), ("image/svg+xml", true), ("application/xml", true), ("text/javascript", true),
            ("application/xhtml+xml", true), ("image/x+xml", true), ("font/x+xml", true),
            ("application/x-unheard-of", true), ("multipart/x-mixed-replace", true),
            ("image/png", false), ("video/mp4", false), ("application/pdf", false), ("text/plain", false),
        ]
    )
    func sandbox(type: String, sandboxed: Bool) async throws {
        try await TestServer().test { client in
            let key = try await client.upload("a", "<script>", as: type)["key"]?.stringValue ?? ""
            try await client.execute(uri: "/\(key)", method: .get) { response in
                #expect(response.headers[.contentType] == type)
                #expect(response.headers[.contentSecurityPolicy]?.hasPrefix("sandbox;") == (sandboxed ? true : nil))
                #expect(response.headers[.xContentTypeOptions] == "nosniff")
            }
        }
    }

    @Test("a derivative is served like a file")
    func derivative() async throws {
        try await get(name: "a.jpg", query: "?imageView/2/w/10/format/webp") { response, _ in
            #expect(response.text == "thumbnail")
            #expect(response.headers[.contentType] == "image/webp")
            #expect(response.headers[.eTag]?.count == 34)
        }
    }

    @Test("a bad image request has the file host's error form")
    func badImage() async throws {
        try await get(name: "a.jpg", query: "?imageView/9/w/10") { response, _ in
            #expect(response.status == .badRequest)
            let body = try response.json()
            #expect(body["code"] == .integer(400))
        }
    }

    @Test("paths that no key has are not found", arguments: ["/", "/..", "/%2e%2e/x", "/a%00b", "/%ff", "/%zz"])
    func noKey(path: String) async throws {
        try await TestServer().test { client in
            try await client.execute(uri: path, method: .get) { #expect($0.status == .notFound) }
        }
    }
}
