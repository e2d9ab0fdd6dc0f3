import Domain
import Support
import Testing

@testable import S3
@testable import S3Blobs

@Suite(.enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct S3UnendedPutTests {
    @Test("a claim is listed as old after a day, and a put is abandoned with its bytes beside those of others")
    func abandoning() throws {
        let (client, layout) = (try S3Fixture.client(), S3Fixture.layout())
        let blob = BlobName(try S3Fixture.key())
        let ids = ObjectIDGenerator()
        let (dead, bare, owner) = (ids.next(), ids.next(), ids.next())
        try client.put(layout.claim(of: blob, dead), bytes: [])
        try client.put(layout.name(of: blob, dead), bytes: Array("left".utf8))
        try client.put(layout.claim(of: blob, bare), bytes: [])
        try client.put(layout.name(of: blob, owner), bytes: Array("whole".utf8))
        let byte = try #require([UInt8](hexadecimal: "\(blob)")?.first)
        func puts(after seconds: Int) throws -> [UnendedPut] {
            let checked = S3CheckedBlobs(client, layout: layout) { .now().adding(seconds: seconds) }
            let names = try checked.names(beginningWith: byte)
            #expect(names.blobs == [blob])
            return names.puts
        }
        #expect(try puts(after: 0) == [dead, bare].map { UnendedPut(blob: blob, file: $0, isOld: false) })
        let old = try puts(after: 90_000)
        #expect(old == [dead, bare].map { UnendedPut(blob: blob, file: $0, isOld: true) })
        let checked = S3CheckedBlobs(client, layout: layout)
        #expect(try checked.isUnended(old[0]))
        #expect(try checked.abandon(old[0]) == "lost+found/\(blob).\(dead)")
        #expect(try !checked.isUnended(old[0]))
        #expect(try checked.abandon(old[1]) == nil)
        let left = [layout.name(of: blob, owner), "\(layout.root)lost+found/\(blob).\(dead)"]
        #expect(try S3Fixture.objects(layout) == left.sorted())
        try client.delete(S3Fixture.objects(layout))
    }
}
