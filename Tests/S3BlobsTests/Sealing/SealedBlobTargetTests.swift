import Domain
import S3
import Support
import Testing

@testable import S3Blobs

@Suite("Encrypted blobs as objects of a backup target")
struct SealedBlobTargetTests {
    @Test("pages of the store that are shorter than requested are joined, up to the limit", arguments: [2, 100])
    func joinsPages(limit: Int) throws {
        let layout = S3Fixture.layout()
        let pages = [["a", "b"], [], ["c", "d"]].map { names in names.map { layout.root + $0 } }
        let server = try ScriptedServer.listing(pages, size: 0)
        defer { server.close() }
        let client = S3Client(
            try S3Bucket("bucket", region: "us-east-1", endpoint: server.url),
            credentials: S3Credentials(accessKey: "A", secretKey: "S")
        )
        let target = SealedBlobTarget(client, layout: layout, encryption: try .keys([1], readsUnencrypted: true))
        let names = try target.list(prefix: "", after: nil, limit: limit).map(\.name)
        #expect(names == Array(["a", "b", "c", "d"].prefix(limit)))
    }
}
