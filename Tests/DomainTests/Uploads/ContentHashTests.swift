import Testing

@testable import Domain

@Suite struct ContentHashTests {
    private func hash(_ bytes: [UInt8], pieces size: Int = .max) -> String {
        var hasher = ContentHasher()
        var rest = bytes[...]
        while !rest.isEmpty {
            rest.prefix(size).withUnsafeBytes { hasher.update($0) }
            rest = rest.dropFirst(size)
        }
        return hasher.finalize()
    }

    @Test(
        "hashes are those that Qiniu gives",
        arguments: [("", "Fto5o-5ea0sNMlW_75VgGJCv2AcJ"), ("abc", "FqmZPjZHBoFquj4lcXhQwmyc0Nid")]
    )
    func known(text: String, expected: String) {
        #expect(hash(Array(text.utf8)) == expected)
    }

    // Computed by another program, of as many times the letter a.
    @Test(
        "the hash changes its form behind one block of 4 MiB, and a full last block is one",
        arguments: [
            (4 << 20 - 1, "Fkyyi3BTN-RIfMk9E8PmmIISCwdQ"), (4 << 20, "FuwQ-vpd56Izwiom1JHzCIdrQa4_"),
            (4 << 20 + 1, "lieGn00gWdbfwEIHaUpzu4drHeun"), (8 << 20, "lne6DpQaoBdMk9ZF2gyHXgiAM51E"),
            (8 << 20 + 1, "ljqszqgFt6idxmrZwhioMYFCxFyn"),
        ]
    )
    func boundaries(count: Int, expected: String) {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        #expect(hash(bytes) == expected)
    }

    @Test("the same bytes have the same hash in pieces of any size", arguments: [1 << 20, 3_000_001, 4 << 20, 5 << 20])
    func pieces(size: Int) {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 8 << 20 + 1)
        #expect(hash(bytes, pieces: size) == "ljqszqgFt6idxmrZwhioMYFCxFyn")
    }

    @Test("no bytes between others change nothing")
    func emptyPiece() {
        var hasher = ContentHasher()
        for text in ["", "ab", "", "c", ""] { Array(text.utf8).withUnsafeBytes { hasher.update($0) } }
        #expect(hasher.finalize() == "FqmZPjZHBoFquj4lcXhQwmyc0Nid")
    }

    @Test(
        "every file has a block, and a full one has no empty one behind it",
        arguments: [(0, 1), (1, 1), (4 << 20, 1), (4 << 20 + 1, 2), (8 << 20, 2), (5 << 30, 1280)] as [(Int64, Int)]
    )
    func blockCount(size: Int64, expected: Int) {
        #expect(ContentHash.blockCount(of: size) == expected)
    }
}
