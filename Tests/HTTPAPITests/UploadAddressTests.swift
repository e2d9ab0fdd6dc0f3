import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// What is sent to an `upload_url`, without any credentials but the address (docs/uploads.md, section 6).
@Suite struct UploadAddressTests {
    private var server: TestServer {
        var server = TestServer()
        server.uploads.partSize = 4
        return server
    }

    @Test(
        "what Kodo's clients send with another token than the address's, or none, is 401",
        arguments: [
            "", "UpToken", "UpToken x", "Bearer <token>", "<token>", "UpToken b:<other>:p", "UpToken <token> x",
        ]
    )
    func unauthorized(text: String) async throws {
        try await server.test { client in
            let target = try await Target(client)
            let other = try await Target(client)
            let shown = text.replacing("<token>", with: target.token).replacing("<other>", with: other.token)
            for path in ["/mkblk/5", "/bput/x/0", "/mkfile/0", target.objects, "\(target.objects)/x"] {
                try expectKodo(try await target.call(.post, path, "hello", [.authorization: shown]), 401)
            }
        }
    }

    @Test(
        "all dialects work on an address, whichever form its token has",
        arguments: ["LeanCloud-JS-SDK/4.15.3", "curl"]
    )
    func anyProvider(agent: String) async throws {
        try await server.test { client in
            for dialect in 0..<3 {
                let headers = Who.client.headers.merging([.userAgent: agent])
                let target = try await Target(client, #"{"name":"a.txt"}"#, headers)
                let response =
                    switch dialect {
                    case 0: try await target.call(.put, "", "hello")
                    case 1: try await target.form([("file", "hello"), ("token", target.token)])
                    default: try await target.call(.post, "/mkblk/5", "hello", target.bearer)
                    }
                #expect(response.status == .ok)
            }
        }
    }

    @Test("the response with a token has the bare media type; the record keeps the charset of an import")
    func charset() async throws {
        try await server.test { client in
            let body = #"{"name":"a.txt","mime_type":"text/plain; charset=GBK"}"#
            let answer = try await client.send("POST", "/1.1/fileTokens", body, Who.master.headers).json()
            #expect(answer["mime_type"] == .string("text/plain"))
            let target = try await Target(client, body, Who.master.headers)
            _ = try await target.call(.put, "", "hello")
            let record = try await client.send("GET", "/1.1/files/\(target.id)").json()
            #expect(record["mime_type"] == .string("text/plain; charset=gbk"))
        }
    }

    @Test("a prefix that walks folders is refused, also before a combining mark", arguments: ["..", "1.1", "console"])
    func prefix(folder: String) async throws {
        try await server.test { client in
            for prefix in ["\(folder)/x", "\(folder)/\u{308}x"] {
                let body = #"{"name":"a.txt","prefix":"\#(prefix)"}"#
                let response = try await client.send("POST", "/1.1/fileTokens", body)
                #expect(response.status == .badRequest)
            }
        }
    }

    @Test("what Kodo's clients send to no upload is 401", arguments: ["", "/mkblk/5", "/buckets/b/objects/~/uploads"])
    func unknown(rest: String) async throws {
        try await server.test { client in
            let response = try await client.execute(
                uri: "/1.1/upload/\(String(repeating: "a", count: 40))\(rest)",
                method: .post,
                body: ByteBuffer(string: "hello")
            )
            try expectKodo(response, 401)
        }
    }

    @Test("a browser is allowed whatever headers it asks for, and shown the answer")
    func browsers() async throws {
        try await server.test { client in
            let target = try await Target(client)
            let preflight = try await target.call(
                .options,
                "",
                nil,
                [
                    .origin: "https://app.example.com", .accessControlRequestMethod: "PUT",
                    .accessControlRequestHeaders: "x-my-own, authorization",
                ]
            )
            #expect(preflight.status == .noContent)
            #expect(preflight.headers[.accessControlAllowOrigin] == "*")
            #expect(preflight.headers[.accessControlAllowHeaders] == "x-my-own, authorization")
            #expect(preflight.headers[.accessControlAllowMethods]?.contains("PUT") == true)
            let response = try await target.call(.put, "", "hello", [.origin: "https://app.example.com"])
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.accessControlExposeHeaders]?.contains("ETag") == true)
        }
    }
}
