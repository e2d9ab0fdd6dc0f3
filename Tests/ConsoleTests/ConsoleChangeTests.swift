import Domain
import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import Console

/// Which calls are entries of the audit log, and what the entries say.
@Suite struct ConsoleChangeTests {
    private func change(_ method: String, _ path: String) throws -> ConsoleChange? {
        let head = HTTPRequest(
            method: try #require(HTTPRequest.Method(method)),
            scheme: "http",
            authority: "localhost",
            path: path
        )
        return ConsoleChange(Request(head: head, body: RequestBody(buffer: ByteBuffer())), id: "r")
    }

    @Test(
        "a change has a summary without values",
        arguments: [
            ("POST", "/1.1/classes/Post", "create Post"), ("PUT", "/1.1/classes/Post/a1", "update Post/a1"),
            ("DELETE", "/1.1/classes/Post/a1,a2?where={}", "delete Post (2 objects)"),
            ("DELETE", "/1.1/files/a1,a2,a3", "delete files (3 objects)"),
            ("POST", "/1.1/batch", "change several objects"), ("DELETE", "/1.1/files/a1", "delete files/a1"),
            ("GET", "/1.1/cloudQuery?cql=delete%20from%20Post%20where%20objectId=%27a1%27", "change by cloudQuery"),
            ("PUT", "/1.1/permissions/Post", "update permissions/Post"), ("POST", "/1.1/uploads", "upload a file"),
            ("DELETE", "/1.1/uploads/0123456789abcdef0123456789abcdef", "cancel an upload"),
            ("POST", "/1.1/trash/restore", "create trash/restore"),
            ("PUT", "/1.1/files/a1/censor", "update files/a1/censor"),
            ("POST", "/1.1/files/a1/url", "create files/a1/url"),
        ]
    )
    func summary(method: String, path: String, summary: String) throws {
        let change = try #require(try change(method, path))
        #expect(change.summary == summary)
        #expect(!change.path.contains("?") && !change.path.contains("0123456789abcdef"))
    }

    @Test("the path has the ids of 100 objects, and a longer one says that it is cut off")
    func longPath() throws {
        let ids = (0..<200).map { "aaaaaaaaaaaaaaaaaaaa\(1000 + $0)" }
        let path = "/1.1/classes/Post/\(ids.prefix(100).joined(separator: ","))"
        let hundred = try #require(try change("DELETE", path))
        #expect(hundred.path == path)
        #expect(hundred.summary == "delete Post (100 objects)")
        let more = try #require(try change("DELETE", "/1.1/classes/Post/\(ids.joined(separator: ","))"))
        #expect(more.path.count == 4096)
        #expect(more.path.hasSuffix("…"))
        let long = try #require(try change("PUT", "/1.1/classes/Post/" + String(repeating: "a", count: 400)))
        #expect(long.summary.count == 300)
        #expect(long.summary.hasSuffix("…"))
        #expect(!long.path.hasSuffix("…"))
    }

    @Test(
        "reading and the pieces of an upload are no changes",
        arguments: [
            ("GET", "/1.1/classes/Post"), ("HEAD", "/1.1/uploads/token"), ("PATCH", "/1.1/uploads/token"),
            ("PUT", "/1.1/upload/token"), ("GET", "/1.1/cloudQuery?cql=select%20*%20from%20Post"),
            ("GET", "/1.1/cloudQuery?cql=nonsense"),
        ]
    )
    func noChange(method: String, path: String) throws {
        #expect(try change(method, path) == nil)
    }
}
