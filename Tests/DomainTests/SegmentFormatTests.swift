import Crypto
import Testing

@testable import Domain

@Suite struct SegmentFormatTests {
    private static let previous = [UInt8](repeating: 7, count: 32)

    /// A whole file with the pages 3 and 1.
    private static func file(number: Int = 1, previous: [UInt8] = SegmentFormatTests.previous) -> [UInt8] {
        var bytes = SegmentHeader(pageSize: 512, number: number, previous: previous).encoded
        for page in [UInt8(3), 1] {
            bytes += [0, 0, 0, page]
            bytes += [UInt8](repeating: page, count: 512)
        }
        bytes += SegmentEnd(databasePages: 3, time: Timestamp(milliseconds: 1_800_000_000_123)).encoded
        return bytes + Array(SHA256.hash(data: bytes))
    }

    /// Decodes bytes in pieces of a size.
    private static func decode(_ bytes: [UInt8], pieceSize: Int) throws -> (SegmentFacts, pages: [UInt32: [UInt8]]) {
        var decoder = SegmentDecoder()
        var pages: [UInt32: [UInt8]] = [:]
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            try Array(bytes[start..<min(bytes.count, start + pieceSize)]).withUnsafeBytes { piece in
                try decoder.add(piece) { number, page in pages[number] = Array(page) }
            }
        }
        return (try decoder.finish(), pages)
    }

    @Test(arguments: [1, 3, 512, 517, 100_000])
    func piecesOfEachSizeAreDecoded(pieceSize: Int) throws {
        let (facts, pages) = try SegmentFormatTests.decode(SegmentFormatTests.file(), pieceSize: pieceSize)
        #expect(facts.header == SegmentHeader(pageSize: 512, number: 1, previous: SegmentFormatTests.previous))
        #expect(facts.end == SegmentEnd(databasePages: 3, time: Timestamp(milliseconds: 1_800_000_000_123)))
        #expect(facts.pages == 2)
        #expect(pages == [3: [UInt8](repeating: 3, count: 512), 1: [UInt8](repeating: 1, count: 512)])
        #expect(facts.digest == SegmentFormatTests.file().suffix(32))
    }

    @Test func aChangedByteAnywhereIsADefect() {
        let whole = SegmentFormatTests.file()
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x40
            #expect(throws: SegmentDefect.self, "byte \(index)") {
                try SegmentFormatTests.decode(bytes, pieceSize: 4096)
            }
        }
    }

    @Test func aFileOfAnotherLengthIsADefect() {
        let whole = SegmentFormatTests.file()
        for count in [0, 1, 55, 56, 60, 600, whole.count - 33, whole.count - 32, whole.count - 1] {
            #expect(throws: SegmentDefect("is cut off"), "\(count) bytes") {
                try SegmentFormatTests.decode(Array(whole[..<count]), pieceSize: 4096)
            }
        }
        #expect(throws: SegmentDefect("has bytes after its end")) {
            try SegmentFormatTests.decode(whole + [0], pieceSize: 4096)
        }
    }

    @Test func aChainHasNoGapAndNoStranger() throws {
        let content = BackupManifest.Content(size: 1, sha256: SegmentFormatTests.previous.hexadecimal)
        let base = try #require(SegmentLink(base: content))
        let (first, _) = try SegmentFormatTests.decode(SegmentFormatTests.file(), pieceSize: 4096)
        let link = try base.followed(by: first)
        #expect(link == SegmentLink(after: first))
        let second = SegmentFormatTests.file(number: 2, previous: first.digest)
        #expect(try link.followed(by: SegmentFormatTests.decode(second, pieceSize: 4096).0).number == 2)
        #expect(throws: SegmentDefect("has the number 2, not 1")) {
            try base.followed(by: SegmentFormatTests.decode(second, pieceSize: 4096).0)
        }
        let stranger = SegmentFormatTests.file(number: 2)
        #expect(throws: SegmentDefect("does not follow segment 1")) {
            try link.followed(by: SegmentFormatTests.decode(stranger, pieceSize: 4096).0)
        }
        #expect(SegmentLink(base: BackupManifest.Content(size: 1, sha256: "00")) == nil)
    }
}
