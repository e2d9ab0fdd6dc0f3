import Crypto
import Domain
import Testing

@Suite struct BackupLayoutTests {
    private func layout() throws -> BackupLayout { BackupLayout(try #require(AppID("app"))) }

    @Test("a blob has a name of its key and its digest, and a list of names can have paths")
    func blobs() throws {
        let digits = String(repeating: "ab", count: 32)
        let blob = try #require(BackupBlob("\(digits).Fq_-1"))
        #expect(blob.description == "\(digits).Fq_-1")
        #expect(try layout().object(blob) == "app/blobs/ab/\(digits).Fq_-1")
        #expect(try BackupBlob(layout().object(blob)) == blob)
        for text in ["", "ab", digits, "\(digits).a b", "\(digits.uppercased()).a", "x\(digits).a", "\(digits).a/"] {
            #expect(BackupBlob(text) == nil, "\(text)")
        }
    }

    @Test("the time of a snapshot is its folder's name")
    func times() throws {
        let time = try #require(Timestamp(iso8601: "2027-01-12T03:00:00.123Z"))
        #expect(SnapshotTime(time).description == "20270112T030000.123Z")
        #expect(SnapshotTime("20270112T030000.123Z")?.timestamp == time)
        for text in ["", "20270112T030000Z", "20271312T030000.123Z", "20270112T030000.1234", "20270112t030000.123Z"] {
            #expect(SnapshotTime(text) == nil, "\(text)")
        }
    }

    @Test("objects of a generation have names that sort, and lists among them are known")
    func generations() throws {
        let layout = try layout()
        let generation = try #require(GenerationTime("20270112T030000.123Z"))
        let earlier = SegmentName(number: 12, time: Timestamp(milliseconds: 1_800_000_000_123))
        #expect(SegmentName(layout.object(earlier, ofGeneration: generation)) == earlier)
        let name = earlier.adding(list: SegmentName.noList)
        let segment = layout.object(name, ofGeneration: generation)
        let blobs = layout.blobs(of: name, ofGeneration: generation)
        #expect(SegmentName.noList == SHA256.hash(data: [UInt8]()).hexadecimal)
        let path = "app/wal/20270112T030000.123Z/0000000012-1800000000123"
        #expect(segment == "\(path)-\(SegmentName.noList).segment")
        #expect(blobs == "\(path)-\(SegmentName.noList).blobs")
        #expect(layout.object(earlier, ofGeneration: generation) == "\(path).segment")
        // A list is listed just before its segment.
        #expect(blobs < segment)
        #expect(layout.object(.base, ofGeneration: generation) == "app/wal/20270112T030000.123Z/base")
        for text in [segment, blobs, name.description] { #expect(SegmentName(text) == name, "\(text)") }
        for text in [
            "", "files", "12-1800000000123", "0000000000-1800000000123", "0000000012-1800000000123.x",
            "0000000012-1800000000123-", "0000000012-1800000000123-\(SegmentName.noList.dropLast())",
            "0000000012-1800000000123-\(SegmentName.noList.uppercased())", "\(name)-0",
        ] {
            #expect(SegmentName(text) == nil, "\(text)")
        }
        #expect(layout.generation(of: segment) == generation)
        #expect(layout.generation(of: "app/snapshots/20270112T030000.123Z/files") == nil)
        #expect(layout.isBlobList(blobs) && layout.isBlobList(layout.object(.files, ofGeneration: generation)))
        #expect(!layout.isBlobList(segment) && !layout.isBlobList("app/snapshots/x/files"))
    }

    @Test("a manifest comes back from its bytes, and one of another format does not")
    func manifest() throws {
        let manifest = BackupManifest(
            version: "1",
            time: Timestamp(milliseconds: 1_800_000_000_123),
            apps: ["app", "b"],
            database: .init(size: 1, sha256: "aa"),
            files: .init(size: 2, sha256: "bb"),
            generatedApp: .init(size: 3, sha256: "cc"),
            fileCount: 4,
            byteCount: 5,
            damaged: 6,
            damagedRows: 7
        )
        #expect(BackupManifest(manifest.encoded) == manifest)
        let text = String(decoding: manifest.encoded, as: UTF8.self)
        let newer = text.replacing("\"format\":1", with: "\"format\":2")
        #expect(newer != text)
        #expect(BackupManifest(Array(newer.utf8)) == nil)
        #expect(BackupManifest(Array(text.utf8.dropLast())) == nil)
    }
}
