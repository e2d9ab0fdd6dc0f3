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
        let pages = [["a", "b"], [], ["c", "d"]]
        let server = try ScriptedServer { _, number in
            let page = number <= pages.count ? pages[number - 1] : []
            let time = "<LastModified>2026-01-02T03:04:05.000Z</LastModified>"
            let entries = page.map { name in
                "<Contents><Key>\(layout.root)\(name)</Key><Size>0</Size>\(time)</Contents>"
            }
            let token = "<NextContinuationToken>\(number)</NextContinuationToken>"
            let end = number < pages.count ? "<IsTruncated>true</IsTruncated>\(token)" : ""
            return .json("<ListBucketResult>\(end)\(entries.joined())</ListBucketResult>")
        }
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
