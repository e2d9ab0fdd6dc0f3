import Domain
import Testing

@testable import S3
@testable import S3Blobs

/// What needs no store.
@Suite("The rules of blobs in a bucket")
struct S3BlobRulesTests {
    private static let prefix = "app/blobs/ab/abcd."
    private let file = ObjectID("5")

    /// What a put for the file `5` decides when these objects are listed.
    @Test(
        "a put decides by what is listed",
        arguments: [
            ("", .unlisted), ("5.claim", .unlisted), ("5 5.claim", .won), ("5", .won), ("5 5.claim 7", .lost),
            ("3 5 5.claim", .lost), ("3.claim 5 5.claim", .lost), ("3 3.claim 5 5.claim", .lost),
            ("5 5.claim 7.claim", .waits), ("5 5.claim 7 7.claim", .waits), ("3.claim 5 5.claim 7.claim", .lost),
            ("5 5.claim no.name.claim", .won), ("7", .unlisted),
        ] as [(String, S3BlobListing.Decision)]
    )
    func decisions(names: String, decision: S3BlobListing.Decision) throws {
        #expect(listing(names).decision(for: try #require(file)) == decision)
    }

    @Test(
        "readers see a blob without a claim",
        arguments: [("5", 1), ("5 5.claim", 0), ("5.claim", 0), ("3 3.claim 5", 1)]
    )
    func committed(names: String, count: Int) {
        let found = listing(names).committed
        #expect(found.count == count)
        #expect(found.allSatisfy { $0.file == file && $0.blob.key == S3BlobRulesTests.prefix + "5" })
    }

    /// What a reader of the file `5` gets, which took over the bytes of the file `9`.
    @Test(
        "a reader with a record gets the blob of its file, also beside a late claim and what others left",
        arguments: [
            ("5", "5"), ("5 5.claim", "5"), ("3 5", "5"), ("3 5 5.claim", "5"), ("5 5p1 5p1.claim", "5"),
            ("5 5.claim 5p1", "5p1"), ("5 5.claim 5p1 5p1.claim", "5p1"), ("5 5p1", "5p1"), ("9", "9"), ("7 9", "9"),
            ("9 9.claim", "9"), ("5 9", "9"), ("5 9 9.claim", "9"), ("5p10 5p9", "5p10"),
            ("3", "3"), ("3 3.claim", nil), ("3 7", nil), ("5.claim", nil), ("", nil),
        ] as [(String, String?)]
    )
    func blobOfFile(names: String, expected: String?) throws {
        let key = try #require(FileKey("k"))
        let reader = FileBlob(key: key, file: file, replaced: ObjectID("9"))
        #expect(try listing(names).blob(for: reader)?.file.description == expected)
    }

    @Test("a removal that names a file removes its own blobs and claims only")
    func ownObjects() throws {
        let key = try #require(FileKey("k"))
        let found = listing("3 3.claim 5 5.claim 5p1 5p2.claim 7")
        #expect(found.blobs(of: FileBlob(key: key, file: file)).map(\.file.description) == ["5", "5p1"])
        #expect(found.claims(of: FileBlob(key: key, file: file)).map(\.description) == ["5", "5p2"])
        #expect(found.blobs(of: FileBlob(key: key, file: nil)).map(\.file.description) == ["5p1", "7"])
        #expect(found.claims(of: FileBlob(key: key, file: nil)).isEmpty)
    }

    private func listing(_ names: String) -> S3BlobListing {
        let objects = names.split(separator: " ").map {
            S3Object(key: S3BlobRulesTests.prefix + $0, size: 1, modified: 0, tag: "")
        }
        return S3BlobListing(objects, prefix: S3BlobRulesTests.prefix)
    }

    @Test("the digests of parts make the digest of the blob", arguments: [0, 1, 4 << 20, 4 << 20 | 1, 9 << 20])
    func parts(size: Int) {
        let bytes = [UInt8](repeating: 7, count: size)
        var whole = ContentHasher()
        bytes.withUnsafeBytes { whole.update($0) }
        var hasher = PartHasher(like: .contentHash(""))
        var blocks: [[UInt8]] = []
        for start in stride(from: 0, through: size, by: 8 << 20) where start < size || size == 0 {
            var part = PartHasher(like: .contentHash(""))
            for begin in stride(from: start, to: min(size, start + 8 << 20), by: 1_000_003) {
                let piece = Array(bytes[begin..<min(size, start + 8 << 20, begin + 1_000_003)])
                piece.withUnsafeBytes { bytes in
                    part.update(bytes)
                    hasher.update(bytes)
                }
            }
            blocks += part.finishedBlocks()
        }
        let expected = whole.finalize()
        #expect(hasher.finish() == .contentHash(expected))
        #expect(ContentHash.joining(blocks) == expected)
    }

    @Test("entries of a cache go in the order of their use, and never more than needed by a tenth")
    func entries() throws {
        var entries = S3CacheEntries(bound: 100)
        func name(_ number: Int) throws -> S3CacheName {
            try #require(S3CacheName(String(repeating: "\(number)", count: 32)))
        }
        func entry(_ size: Int64) -> S3CacheEntries.Entry { S3CacheEntries.Entry(sha256: "s", size: size, stamp: nil) }
        for number in 0..<4 { #expect(entries.add(entry(25), as: try name(number)).isEmpty) }
        #expect(entries.use(try name(0)) != nil)
        #expect(entries.add(entry(5), as: try name(4)) == ["\(try name(1)).s"])
        #expect(entries.total == 80)
        #expect(entries.use(try name(1)) == nil)
        // One that fits alone takes the place of all others, and one that does not fit stays out.
        #expect(entries.add(entry(100), as: try name(5)).count == 4)
        #expect(entries.total == 100)
        #expect(entries.add(entry(101), as: try name(6)).count == 2)
        #expect(entries.total == 0)
    }
}
