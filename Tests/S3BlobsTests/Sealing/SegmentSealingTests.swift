import Domain
import S3
import Support
import Testing

@testable import S3Blobs

/// The names of encrypted segments, and how they are cut.
@Suite("Sealed segments")
struct SegmentSealingTests {
    @Test("the name of an encrypted segment has its digests, unreadable and unchangeable")
    func segments() throws {
        let encryption = try BlobEncryption.keys([1])
        let folder = SegmentFolder(encryption: encryption, app: "app", folder: .draft(server: "s", number: "n"))
        let plain = SealingTests.bytes(Int(ContentHash.blockSize) + 70_000)
        let runs = [
            StagedSegment.Run(number: 3, size: 70_000), StagedSegment.Run(number: 5, size: ContentHash.blockSize),
        ]
        let segment = try plain.withUnsafeBytes {
            try StagedSegment($0, at: 0, runs: runs, id: "id", sealedIn: folder)
        }
        let content = try plain.withUnsafeBytes { try segment.content(of: $0) }
        #expect(segment.objectSize == Int64(content.count))
        let name = segment.name
        #expect(name.utf8.count <= 255 && !name.contains(segment.digests[0].hexadecimal))
        #expect(name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) })
        func parse(_ name: String, _ folder: SegmentFolder?) throws -> StagedSegment? {
            try StagedSegment(name: name, tag: "", objectSize: segment.objectSize, sealedIn: folder)
        }
        #expect(try parse(name, folder) == segment)
        #expect(try parse(name.replacing("3.11170", with: "4.11170"), folder) == nil)
        #expect(try parse(name.replacing("-id-", with: "-ie-"), folder) == nil)
        #expect(try parse(name, nil) == nil)
        for other in [
            SegmentFolder(encryption: encryption, app: "other", folder: folder.folder),
            SegmentFolder(encryption: encryption, app: "app", folder: .draft(server: "s", number: "m")),
        ] { #expect(try parse(name, other) == nil) }
        let stranger = SegmentFolder(encryption: try .keys([2]), app: "app", folder: folder.folder)
        #expect(throws: SealError.unknownKey(encryption.keys[0].id)) { try parse(name, stranger) }
        // A segment without encryption is used only where the settings say so.
        let bare = try plain.withUnsafeBytes { try StagedSegment($0, at: 0, runs: runs, id: "id") }
        let reading = SegmentFolder(
            encryption: try .keys([1], readsUnencrypted: true),
            app: "app",
            folder: folder.folder
        )
        for (folder, isUsed) in [(folder, false), (reading, true)] {
            let found = try StagedSegment(name: bare.name, tag: "", objectSize: Int64(plain.count), sealedIn: folder)
            #expect((found == bare) == isUsed)
        }
    }

    @Test("eight joined parts of 1 MiB have a name that stores on file systems accept")
    func names() throws {
        let folder = SegmentFolder(encryption: try .keys([1]), app: "app", folder: .draft(server: "s", number: "n"))
        let runs = (0..<8).map { StagedSegment.Run(number: 4095 - $0, size: 1 << 20) }
        let bytes = [UInt8](repeating: 3, count: 8 << 20)
        let segment = try bytes.withUnsafeBytes {
            try StagedSegment($0, at: 80 << 30, runs: runs, id: "3w5e11264sgsf", sealedIn: folder)
        }
        #expect(segment.name.utf8.count <= 255)
    }

    @Test("encrypted segments are copied in whole frames, and what is cut passes through the server")
    func parts() throws {
        let unit: Int64 = 1 << 20
        let encryption = try BlobEncryption.keys([1])
        let folder = SegmentFolder(encryption: encryption, app: "app", folder: .draft(server: "s", number: "n"))
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            var pieces: [SegmentMap.Piece] = []
            var offset: Int64 = 0
            for number in 1...Int.random(in: 1...8, using: &random) {
                let end = offset + .random(in: 1...12 * unit, using: &random)
                let front = Int64.random(in: 0...min(offset, 100_000), using: &random)
                let behind = Bool.random(using: &random) ? 0 : Int64.random(in: 0...100_000, using: &random)
                let isSealed = Int.random(in: 0..<5, using: &random) > 0
                let run = StagedSegment.Run(number: number, size: end - offset + front + behind)
                let segment = try StagedSegment(sized: run, at: offset - front, isSealed ? folder : nil)
                pieces.append(SegmentMap.Piece(range: offset..<end, segment: segment))
                offset = end
            }
            let parts = CopyPart.parts(of: pieces, isSealed: true)
            var position: Int64 = 0
            for part in parts {
                #expect(part.range.lowerBound == position)
                position = part.range.upperBound
                guard let piece = part.piece else { continue }
                #expect(piece.segment.seal != nil && piece.range == part.range)
                #expect(piece.objectRange.lowerBound.isMultiple(of: Frame.size))
                let isEnd = piece.range.upperBound == piece.segment.range.upperBound
                #expect(isEnd || piece.objectRange.upperBound.isMultiple(of: Frame.size))
                #expect(Frame.sealed(Int64(piece.range.count)) == piece.storedRange.count)
            }
            #expect(position == offset, "seed \(seed)")
            #expect(parts.dropLast().allSatisfy { $0.range.count >= 5 * unit }, "seed \(seed)")
            #expect(parts.allSatisfy { $0.isCopied || $0.range.count < 16 * unit }, "seed \(seed)")
        }
    }
}

extension StagedSegment {
    /// A segment of a size, without bytes: its name is made by hand.
    fileprivate init(sized run: Run, at offset: Int64, _ folder: SegmentFolder?) throws {
        let count = StagedSegment.blocks(of: offset..<offset + run.size).count
        let digests = [[UInt8]](repeating: [UInt8](repeating: 0, count: 20), count: count)
        let runs = "\(String(run.number, radix: 16)).\(String(run.size, radix: 16))"
        let contents = try folder.map { folder in
            let seal = try SegmentSeal(digests, for: "\(run.number)-\(offset)-\(run.size)-i-\(runs)", folder)
            return "s\(seal.text)"
        }
        let fields = [run.number, Int(offset), Int(run.size)].map { String($0, radix: 16) }
        let name = "\(fields.joined(separator: "-"))-i-\(contents ?? digests.flatMap(\.self).hexadecimal)"
        let size = folder == nil ? run.size : Frame.sealed(run.size)
        self = try #require(try StagedSegment(name: name, tag: "", objectSize: size, sealedIn: folder))
    }
}
