import Testing

@testable import VipsMedia

/// How often a decoder goes over a JPEG's pixels.
@Suite struct JPEGScansTests {
    private func count(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { JPEGScans.count(in: .memory($0)) }
    }

    private func segmentCount(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { JPEGScans.counts(in: .memory($0)).segments }
    }

    /// A whole image of some scans, each with these bytes behind it.
    private func image(scans: Int, behindEach: [UInt8] = []) -> [UInt8] {
        let scan = JPEGSample.segment(0xda, [0]) + [1, 2, 0xff, 0, 0xff, 0xd0, 3] + behindEach
        return [0xff, 0xd8] + (0..<scans).flatMap { _ in scan } + [0xff, 0xd9]
    }

    @Test("each marker of a scan counts, and a file without one counts as one")
    func markers() {
        #expect(count([]) == 1)
        #expect(count([0xff, 0xd8, 0xff]) == 1)
        #expect(count([0xff, 0xda]) == 1)
        #expect(count([UInt8](repeating: 0xff, count: 9) + [0xda, 0, 2, 0xda, 0xff, 0xda, 0, 2, 0xff, 0, 0xda]) == 2)
        #expect(count(image(scans: 3)) == 3)
    }

    @Test("bytes behind the end of the image do not count")
    func trailer() {
        let bytes = image(scans: 2) + image(scans: 5, behindEach: JPEGSample.segment(0xe1, []))
        #expect(count(bytes) == 2)
        #expect(segmentCount(bytes) == 0)
    }

    @Test("the contents of a segment do not count")
    func contents() {
        let thumbnail = JPEGSample.segment(0xe1, image(scans: 5, behindEach: JPEGSample.segment(0xfe, [])))
        let bytes = image(scans: 2, behindEach: thumbnail)
        #expect(count(bytes) == 2)
        #expect(segmentCount(bytes) == 2)
    }

    @Test("markers without a length hide no segments", arguments: [0x01, 0x02, 0xbf, 0xd7] as [UInt8])
    func markersWithoutLength(marker: UInt8) {
        let hidden = JPEGSample.segment(0xe1, [])
        #expect(segmentCount(image(scans: 1, behindEach: [0xff, marker] + hidden + hidden)) == 2)
    }

    @Test("a length that is too short hides no segments", arguments: [0, 1] as [UInt8])
    func shortLength(length: UInt8) {
        let bytes = image(scans: 1, behindEach: [0xff, 0xe1, 0, length] + JPEGSample.segment(0xe2, []))
        #expect(segmentCount(bytes) == 2)
    }

    @Test("a marker that two pieces share counts once", arguments: (1 << 18) - 4...(1 << 18) + 4)
    func edges(offset: Int) {
        var bytes = [UInt8](repeating: 0, count: 1 << 19)
        bytes[offset] = 0xff
        bytes[offset + 1] = 0xda
        bytes[0] = 0xff
        bytes[1] = 0xda
        #expect(count(bytes) == 2)
    }

    @Test("application segments and comments are counted, other segments not")
    func segments() {
        let bytes = [0xe0, 0xef, 0xfe, 0xdb, 0xc4].flatMap { JPEGSample.segment($0, [7]) }
        #expect(segmentCount([0xff, 0xd8] + bytes + [0xff, 0xd0, 0xff, 0, 0xff]) == 3)
    }

    @Test("a million scans are counted")
    func many() {
        #expect(count((0..<1_000_000).flatMap { _ in [0xff, 0xda, 0, 2] as [UInt8] }) == 1_000_000)
    }
}
