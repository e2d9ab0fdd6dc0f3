import Domain
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPAPI

/// Permissions of the class `_File`, and ACLs of its records, on every way in.
@Suite struct FilePermissionTests {
    private static let paths = ["files", "classes/_File", "classes/_file", "classes/files"]
    private static let external = #"{"name":"logo.png","url":"https://example.org/logo.png"}"#

    private static let ways = [
        Way(name: "bytes", path: "files/x.txt", body: "x", isTunnel: true),
        Way(name: "Base64", path: "files/x.txt", body: #"{"base64":"eA==","_ContentType":"text/plain"}"#),
        Way(name: "tokens", path: "fileTokens", body: #"{"name":"x.txt"}"#),
        Way(name: "external", path: "files", body: external),
        Way(name: "external, class", path: "classes/_File", body: external),
        Way(name: "external, name", path: "files/logo.png", body: #"{"url":"https://example.org/logo.png"}"#),
        Way(name: "without a URL", path: "files", body: #"{"name":"logo.png"}"#),
        .batch("external, batch", #"{"method":"POST","path":"/1.1/files","body":\#(external)}"#),
    ]

    @Test("callers with the create permission can create a file", arguments: ways)
    func making(way: Way) async throws {
        try await forEach { cast, audience, caller in
            let before = try await count(cast)
            let response = try await cast.send(way, [:], as: caller)
            if audience.includes(caller) {
                #expect(try response.refusal() == nil, "\(caller), open to \(audience)")
            } else {
                #expect(try response.refusal() == .forbidden("create", "_File"), "\(caller), open to \(audience)")
                #expect(response.status == (way.isBatch ? .ok : .forbidden))
                #expect(try await count(cast) == before, "\(caller), open to \(audience)")
            }
        }
    }

    @Test("callers with the create permission can upload a form")
    func form() async throws {
        try await forEach { cast, audience, caller in
            var headers = cast.headers(of: caller)
            headers[.contentType] = "multipart/form-data; boundary=b"
            let form = """
                --b\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nhello\r\n--b--\r\n
                """
            let response = try await cast.client.execute(
                uri: "/1.1/files",
                method: .post,
                headers: headers,
                body: ByteBuffer(string: form)
            )
            let expected: Refusal? = audience.includes(caller) ? nil : .forbidden("create", "_File")
            #expect(try response.refusal() == expected, "\(caller), open to \(audience)")
        }
    }

    @Test("callers in a record's ACL can read and find it", arguments: paths)
    func reading(path: String) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            for audience in CastAudience.ofACLs {
                let record = try await client.upload("x.txt", ("ACL", cast.acl(audience, "read")))
                let id = try #require(record["objectId"]?.stringValue)
                let condition = #"{"objectId":"\#(id)"}"#.percentEncoded
                for caller in CastMember.allCases {
                    let isAllowed = audience.includes(caller)
                    let read = try await cast.send("GET", "\(path)/\(id)", as: caller)
                    #expect(try read.refusal() == (isAllowed ? nil : .noReading), "\(caller), open to \(audience)")
                    let found = try await cast.send("GET", "\(path)?count=1&where=\(condition)", as: caller)
                    #expect(try found.json()["count"] == .integer(isAllowed ? 1 : 0), "\(caller), open to \(audience)")
                    #expect(found.text.contains(id) == isAllowed, "\(caller), open to \(audience)")
                }
            }
        }
    }

    private static let deletes = [
        Way(name: "file", method: "DELETE", path: "files/<id>"),
        Way(name: "object", method: "DELETE", path: "classes/_File/<id>", body: "{}"),
        .batch(#"{"method":"DELETE","path":"/1.1/files/<id>"}"#),
        .batch("batch of objects", #"{"method":"DELETE","path":"/1.1/classes/_File/<id>"}"#),
    ]

    @Test("callers with the delete permission and ACL write access can delete a file", arguments: deletes)
    func deleting(way: Way) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            for audience in CastAudience.allCases {
                let opened = #"{"delete":\#(cast.entries(audience))}"#
                #expect(try await cast.send("PUT", "permissions/_File", opened).status == .ok)
                for writers in CastAudience.ofACLs {
                    for caller in CastMember.allCases {
                        let record = try await client.upload("x.txt", ("ACL", cast.acl(writers, "write")))
                        let id = try #require(record["objectId"]?.stringValue)
                        let refusal = try await cast.send(way, ["id": id], as: caller).refusal()
                        let isLeft = try await cast.send("GET", "files/\(id)").status == .ok
                        let expected: Refusal? =
                            !audience.includes(caller)
                            ? .forbidden("delete", "_File") : writers.includes(caller) ? nil : .noWriting(id)
                        #expect(refusal == expected, "\(caller), open to \(audience), written by \(writers)")
                        #expect(isLeft == (expected != nil), "\(caller), open to \(audience), written by \(writers)")
                    }
                }
            }
        }
    }

    /// Runs a body while creating files is open to each audience, for each caller.
    private func forEach(
        _ body: @escaping @Sendable (Cast, CastAudience, CastMember) async throws -> Void
    ) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            for audience in CastAudience.allCases {
                let opened = #"{"create":\#(cast.entries(audience))}"#
                #expect(try await cast.send("PUT", "permissions/_File", opened).status == .ok)
                for caller in CastMember.allCases { try await body(cast, audience, caller) }
            }
        }
    }

    private func count(_ cast: Cast) async throws -> String {
        try await cast.send("GET", "files?limit=0&count=1").text
    }
}
