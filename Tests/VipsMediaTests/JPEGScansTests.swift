import Testing

@testable import VipsMedia

/// How often a decoder goes over a JPEG's pixels.
@Suite struct JPEGScansTests {
    private func count(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { JPEGScans.count(in: .memory($0)) }
    }

    @Test("each marker of a scan counts, and a file without one counts as one")
    func markers() {
        #expect(count([]) == 1)
        #expect(count([0xff, 0xd8, 0xff]) == 1)
        #expect(count([0xff, 0xda]) == 1)
        #expect(count([UInt8](repeating: 0xff, count: 9) + [0xda, 0xda, 0xff, 0xda, 0, 0xff, 0, 0xda]) == 2)
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

    @Test("application segments and comments are counted, other markers not")
    func segments() {
        let bytes: [UInt8] = [0xff, 0xe0, 0xff, 0xef, 0xff, 0xfe, 0xff, 0xdb, 0xff, 0xd0, 0xff, 0, 0xff]
        #expect(bytes.withUnsafeBytes { JPEGScans.counts(in: .memory($0)).segments } == 3)
    }

    @Test("a million scans are counted")
    func many() {
        #expect(count((0..<1_000_000).flatMap { _ in [0xff, 0xda, 0] as [UInt8] }) == 1_000_000)
    }
}
