import Testing

@testable import VipsMedia

/// Bytes of a source of which a reader does not see some ranges.
@Suite struct VisibleBytesTests {
    private func read(without hidden: [Range<Int>], pieces: Int) -> [UInt8] {
        let all = [UInt8](0..<10)
        return all.withUnsafeBytes { bytes in
            let visible = VisibleBytes(.memory(bytes), without: hidden)
            var read: [UInt8] = []
            while true {
                var piece = [UInt8](repeating: 0, count: pieces)
                let count = piece.withUnsafeMutableBytes { visible.read(at: read.count, into: $0) }
                guard count > 0 else { return read.count == visible.count ? read : [] }
                read += piece[..<count]
            }
        }
    }

    @Test(
        "all other bytes are read in their order, in pieces of any size",
        arguments: [
            ([], Array(0...9)), ([0..<3], Array(3...9)), ([2..<4, 4..<5, 7..<8], [0, 1, 5, 6, 8, 9]),
            ([8..<10], Array(0...7)), ([8..<99], Array(0...7)), ([0..<10], []),
        ] as [([Range<Int>], [UInt8])]
    )
    func order(hidden: [Range<Int>], expected: [UInt8]) {
        for pieces in [1, 2, 3, 20] { #expect(read(without: hidden, pieces: pieces) == expected) }
    }
}
