import Domain
import S3
import Support
import Testing

@testable import S3Blobs

@Suite("Segments and the bytes that are current")
struct SegmentMapTests {
    private func segment(_ range: Range<Int64>, _ number: Int, id: String = "id") throws -> StagedSegment {
        try segment(range.lowerBound, runs: [StagedSegment.Run(number: number, size: Int64(range.count))], id: id)
    }

    private func segment(_ offset: Int64, runs: [StagedSegment.Run], id: String = "id") throws -> StagedSegment {
        let bytes = [UInt8](repeating: 1, count: Int(runs.reduce(0) { $0 + $1.size }))
        return try bytes.withUnsafeBytes { try StagedSegment($0, at: offset, runs: runs, id: id) }
    }

    @Test("the largest number is current at each byte, as in an array of bytes")
    func histories() throws {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var expected = [Int?](repeating: nil, count: 64)
            var segments: [StagedSegment] = []
            for number in 1...Int.random(in: 1...12, using: &random) {
                let offset = Int64.random(in: 0..<40, using: &random)
                if Int.random(in: 0..<6, using: &random) == 0 {
                    segments.append(StagedSegment(endAt: offset, number: number))
                    for index in Int(offset)..<64 { expected[index] = nil }
                } else {
                    let range = offset..<offset + Int64.random(in: 1...20, using: &random)
                    segments.append(try segment(range, number))
                    for index in range { expected[Int(index)] = number }
                }
            }
            let map = SegmentMap(segments.shuffled(using: &random))
            var found = [Int?](repeating: nil, count: 64)
            for piece in map.pieces { for index in piece.range { found[Int(index)] = piece.segment.number } }
            #expect(found == expected, "seed \(seed)")
            #expect(map.extent == Int64(expected.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0))
            for start in 0..<64 {
                let run = expected[start...].prefix { $0 != nil }.count
                #expect(run == 0 || map.covers(Int64(start)..<Int64(start + run)))
                if start + run < 64 { #expect(!map.covers(Int64(start)..<Int64(start + run + 1))) }
            }
        }
    }

    @Test("a joined segment has the numbers of those of which it was joined, and is one piece")
    func joined() throws {
        let (first, second) = (try segment(0..<10, 1), try segment(10..<20, 3))
        let both = try segment(0, runs: first.runs + second.runs)
        #expect(SegmentMap([first, second, both]).pieces == [SegmentMap.Piece(range: 0..<20, segment: both)])
        // Written by another server that did not know the second one.
        let late = try segment(5..<15, 2)
        let pieces = SegmentMap([both, late]).pieces
        #expect(pieces.map(\.range) == [0..<5, 5..<10, 10..<20])
        #expect(pieces.map(\.segment) == [both, late, both])
        #expect(pieces[2].runs == [StagedSegment.Run(number: 3, size: 10)])
    }

    @Test("a name says all of a segment")
    func names() throws {
        let block = ContentHash.blockSize
        let runs = [StagedSegment.Run(number: 7, size: block), StagedSegment.Run(number: 255, size: 9)]
        for segment in [try segment(3..<20, 1), try segment(block, runs: runs), StagedSegment(endAt: 12, number: 3)] {
            let size = segment.size ?? 0
            let parsed = try #require(try StagedSegment(name: segment.name, tag: "", objectSize: size))
            #expect(parsed == segment && parsed.name == segment.name)
            // An object of another size was not written by lcfile.
            if segment.size != nil {
                #expect(try StagedSegment(name: segment.name, tag: "", objectSize: size + 1) == nil)
            }
        }
        let digests = try segment(block, runs: runs)
        #expect(digests.digests.count == 2)
        #expect(digests.digest(of: block..<2 * block) != nil)
        #expect(digests.digest(of: 2 * block..<2 * block + 9) != nil)
        #expect(digests.digest(of: 2 * block..<2 * block + 8) == nil)
        #expect(digests.digest(of: block..<block + 9) == nil)
    }

    @Test(
        "other names are no segments",
        arguments: [
            "", "-", "x-0-end", "00000001-000000000000-00000003-id", "00000001-000000000000-00000003-id-ff",
            "00000001-000000000001-00000003-id--1.1_1.1", "00000001-000000000001-00000003-id--2.3",
            "00000001-7fffffffffffffff-00000003-id-", "7fffffffffffffff-000000000000-00000003-id-",
            "7fffffffffffffff-000000000000-end",
        ]
    )
    func malformed(name: String) throws {
        #expect(try StagedSegment(name: name, tag: "", objectSize: 3) == nil)
    }

    @Test("all parts but the last are as large as stores require, and follow each other")
    func parts() throws {
        let unit: Int64 = 1 << 20
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var pieces: [SegmentMap.Piece] = []
            var offset: Int64 = 0
            for number in 1...Int.random(in: 1...12, using: &random) {
                let end = offset + unit * .random(in: 1...12, using: &random)
                let runs = [StagedSegment.Run(number: number, size: end - offset)]
                let segment = try [].withUnsafeBytes { try StagedSegment($0, at: offset, runs: runs, id: "") }
                pieces.append(SegmentMap.Piece(range: offset..<end, segment: segment))
                offset = end
            }
            let parts = CopyPart.parts(of: pieces)
            var position: Int64 = 0
            for part in parts {
                #expect(part.range.lowerBound == position)
                position = part.range.upperBound
                guard let piece = part.piece else { continue }
                #expect(piece.range == part.range && piece.range.count >= 5 << 20)
            }
            #expect(position == offset)
            #expect(parts.dropLast().allSatisfy { $0.range.count >= 5 << 20 }, "seed \(seed)")
            // No more than a part in front of a large piece and the piece itself passes through the server.
            #expect(parts.allSatisfy { $0.isCopied || $0.range.count < 15 << 20 })
        }
    }

    @Test("a note's name says all of it")
    func notes() throws {
        let names = StagingNames(root: "app/staging/")
        let file = try #require(ObjectID("5a1b2c3d4e5f6a7b8c9d0e1f"))
        let blob = BlobName(try #require(FileKey("photo.jpg")))
        for folder in [StagingNames.Folder.upload(file), .draft(server: "s1", number: "n2")] {
            let commit = CommitNote(file: file, blob: blob, isDraft: folder.isDraft)
            let note = StagingNames.Note(commit: commit, server: "s1", folder: folder)
            #expect(names.note(named: names.name(of: note)) == note)
            #expect(names.name(of: note).hasPrefix(names.prefix(of: commit)))
            #expect(names.folder(ofSegment: names.segments(in: folder) + "00000001-x") == folder)
        }
        #expect(names.note(named: "app/staging/commits/x~s1~y") == nil)
    }

    @Test("a heartbeat counts for a minute of the store's clock")
    func signs() {
        let signs = [(0, "new"), (59, "young"), (60, "old")].map { age, key in
            S3Object(key: key, size: 0, tag: "", modified: 1000 - age)
        }
        #expect(StagingServers.alive(signs, at: 1000) == ["new", "young"])
    }
}
