import Domain
import S3
import Support
import Testing

@testable import S3Backups

@Suite("Lists of a bucket")
struct S3OrderTests {
    /// What the target lists of a store that answers with pages of keys.
    private func list(_ pages: [[String]], limit: Int = 100) throws -> [String] {
        let server = try ScriptedServer.listing(pages, size: 1)
        defer { server.close() }
        let client = S3Client(
            try S3Bucket("bucket", region: "us-east-1", endpoint: server.url),
            credentials: S3Credentials(accessKey: "A", secretKey: "S")
        )
        return try S3BackupTarget(client, prefix: "p").list(prefix: "", after: nil, limit: limit).map(\.name)
    }

    @Test("pages of the store that are shorter than requested are joined, and keys of others left out")
    func joinsPages() throws {
        let pages = [["p/a", "p/b"], ["p/b/", "p/c d"], ["p/e", "p/f"]]
        #expect(try list(pages) == ["a", "b", "e", "f"])
        #expect(try list(pages, limit: 2) == ["a", "b"])
    }

    @Test("pages without objects before the last one are not the end")
    func emptyPages() throws {
        #expect(try list([[], ["p/a"], [], [], ["p/b"]]) == ["a", "b"])
        #expect(try list([["p/a"], [], []]) == ["a"])
    }

    @Test("another order than that of bytes is refused, within a page and between pages")
    func refusesOtherOrders() {
        for pages in [[["p/a/b", "p/a-b"]], [["p/a/b"], ["p/a-b"]], [["p/a"], ["p/a"]]] {
            let failure = #expect(throws: BackupTargetFailure.self) { try list(pages) }
            #expect(failure?.reason == .refused)
        }
    }
}
