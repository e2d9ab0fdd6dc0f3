import Support
import Testing

@testable import S3

@Suite("Lists and deletes")
struct ListingTests {
    private static func list(_ content: String) -> String { "<ListBucketResult>\(content)</ListBucketResult>" }

    @Test("a list has keys, sizes and times, and says whether there is more")
    func lists() throws {
        let text = """
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>true</IsTruncated>
            <EncodingType>url</EncodingType><Contents><Key>p/a+b%2Bc%C3%BC</Key>
            <LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;0f&quot;</ETag><Size>7</Size></Contents>
            </ListBucketResult>
            """
        try ScriptedStore({ _, _ in .json(text) }).with { client, server in
            let page = try client.list(prefix: "p/", after: "p/a", limit: 5)
            #expect(page.hasMore)
            #expect(page.objects == [S3Object(key: "p/a b+cü", size: 7, modified: 1_767_323_045, tag: "0f")])
            #expect(
                server.requests.first?.path
                    == "/bucket/?encoding-type=url&list-type=2&max-keys=5&prefix=p%2F&start-after=p%2Fa"
            )
        }
    }

    @Test("a page without objects that is not the last one is followed by its token")
    func emptyPage() throws {
        let empty = "<IsTruncated>true</IsTruncated><NextContinuationToken>1/+=</NextContinuationToken>"
        let time = "<LastModified>2026-01-02T03:04:05.000Z</LastModified>"
        let last = "<Contents><Key>p/b</Key><Size>7</Size>\(time)</Contents>"
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { _, number in
            .json(ListingTests.list(number == 1 ? empty : last))
        }
        try ScriptedStore(answer).with { client, server in
            let page = try client.list(prefix: "p/", after: "p/a", limit: 5)
            #expect(page.objects.map(\.key) == ["p/b"])
            #expect(!page.hasMore)
            #expect(
                server.requests.last?.path
                    == "/bucket/?continuation-token=1%2F%2B%3D&encoding-type=url&list-type=2&max-keys=5&prefix=p%2F"
            )
        }
    }

    @Test(
        "an answer that is no list, or lacks what callers rely on, is an error",
        arguments: [
            "", "<html/>", "<ListBucketResult><Contents/></ListBucketResult>",
            // No time, and another text.
            ListingTests.list("<Contents><Key>a</Key><Size>1</Size></Contents>"),
            ListingTests.list("<Contents><Key>a</Key><Size>1</Size><LastModified>today</LastModified></Contents>"),
            // More behind it, and no token; then one that leads to the same page.
            ListingTests.list("<IsTruncated>true</IsTruncated>"),
            ListingTests.list("<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>"),
        ]
    )
    func refusesOthers(_ text: String) throws {
        try ScriptedStore({ _, _ in .json(text) }).with { client, _ in
            let error = #expect(throws: S3Error.self) { _ = try client.list(prefix: "") }
            #expect(error?.reason == .unavailable)
        }
    }

    @Test("many keys are deleted in one request, each thousand")
    func deletesTogether() throws {
        try ScriptedStore({ _, _ in .json("<DeleteResult/>") }).with { client, server in
            try client.delete((0..<1001).map { "k&\($0)" })
            let first = try #require(server.requests.first)
            #expect(first.method == "POST" && first.path == "/bucket/?delete=" && first.headers["content-md5"] != nil)
            let body = String(decoding: first.body, as: UTF8.self)
            #expect(body.hasPrefix("<Delete><Quiet>true</Quiet><Object><Key>k&amp;0</Key></Object>"))
            #expect(server.requests.last?.method == "DELETE" && server.requests.last?.path == "/bucket/k%261000")
        }
    }

    @Test("only the keys that failed are deleted again")
    func repeatsFailures() throws {
        let failed = "<DeleteResult><Error><Key>b</Key><Code>SlowDown</Code></Error></DeleteResult>"
        try ScriptedStore({ _, number in .json(number == 1 ? failed : "<DeleteResult/>") }).with { client, server in
            try client.delete(["a", "b"])
            #expect(server.requests.count == 2)
            #expect(
                String(decoding: server.requests[1].body, as: UTF8.self).contains(
                    "<Object><Key>b</Key></Object></Delete>"
                )
            )
        }
    }

    @Test("a key that the store does not delete is an error, a missing one is not")
    func reportsFailures() throws {
        let denied = "<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>"
        try ScriptedStore({ _, _ in .json(denied) }).with { client, _ in
            let error = #expect(throws: S3Error.self) { try client.delete(["a", "b"]) }
            #expect(error?.reason == .refused && error?.description.contains("'b'") == true)
        }
        let missing = "<DeleteResult><Error><Key>b</Key><Code>NoSuchKey</Code></Error></DeleteResult>"
        try ScriptedStore({ _, _ in .json(missing) }).with { client, _ in try client.delete(["a", "b"]) }
    }

    @Test("a store that cannot delete several keys is asked for each")
    func fallsBack() throws {
        let answer: @Sendable (ReceivedRequest, Int) -> ScriptedReply = { request, _ in
            request.method == "POST" ? ScriptedStore.refusal(501, "NotImplemented") : ScriptedReply(status: 204)
        }
        try ScriptedStore(answer).with { client, server in
            try client.delete(["a", "b"])
            #expect(server.requests.map(\.path) == ["/bucket/?delete=", "/bucket/a", "/bucket/b"])
        }
    }
}
