import Testing

@testable import VipsMedia

/// The walk through the directories of an EXIF block, whose steps are a bound on libexif's.
@Suite struct ExifTagsTests {
    private static let pointers = [0x8769, 0x8825, 0xa005]

    /// A directory with entries of one 32-bit number, and the offset of the next directory.
    private static func directory(_ entries: [(tag: Int, number: Int)], next: Int = 0) -> [UInt8] {
        // One number of type 4.
        directory(entries.map { (tag: $0.tag, type: 4, count: 1, offset: $0.number) }, next: next)
    }

    /// A directory with entries of a tag, a type, a number of values, and the offset of the values.
    private static func directory(
        _ entries: [(tag: Int, type: Int, count: Int, offset: Int)],
        next: Int = 0
    ) -> [UInt8] {
        var bytes = little(entries.count, 2)
        for entry in entries {
            bytes += little(entry.tag, 2) + little(entry.type, 2)
            bytes += little(entry.count, 4) + little(entry.offset, 4)
        }
        return bytes + little(next, 4)
    }

    private static func little(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Directories from offset 8 on.
    private static func block(_ directories: [UInt8]...) -> [UInt8] {
        Array("II*\0".utf8) + little(8, 4) + directories.joined()
    }

    private static func tangled(_ count: Int, at offset: Int) -> [UInt8] {
        directory((0..<count).map { (pointers[$0 % 3], offset) })
    }

    @Test("each entry counts, in the directories to which pointers lead and in that of the thumbnail")
    func entries() {
        let tags = ExifTags(
            in: Self.block(
                Self.directory([(0x0112, 6), (0x8769, 38)], next: 56),
                Self.directory([(0x9000, 1)]),
                Self.directory([(0x0103, 6), (0x0201, 0)])
            )
        )
        #expect(tags.entries == 5)
        #expect(tags.numbers == [0x0112, 0x8769, 0x9000])
    }

    @Test("a pointer that is there twice counts twice, and is not refused")
    func twice() {
        let block = Self.block(Self.directory([(0x8769, 38), (0x8769, 38)]), Self.directory([(0x9000, 1)]))
        #expect(ExifTags(in: block).entries == 4)
    }

    @Test("directories that point to themselves have too many entries", arguments: [3, 8, 30, 900, 5400])
    func tangled(count: Int) {
        #expect(ExifTags(in: Self.block(Self.tangled(count, at: 8))).entries > ExifTags.most)
        let exif = Array("Exif\0\0".utf8) + Self.block(Self.tangled(count, at: 8))
        #expect(ExifTags(in: exif).entries > ExifTags.most)
    }

    @Test("a directory of the thumbnail that points to itself has too many entries")
    func tangledThumbnail() {
        let block = Self.block(Self.directory([(0x0112, 6)], next: 26), Self.tangled(30, at: 26))
        #expect(ExifTags(in: block).entries > ExifTags.most)
    }

    @Test("two directories of one pointer each, which lead to each other, come to an end")
    func circle() {
        let block = Self.block(Self.directory([(0x8769, 26)]), Self.directory([(0x8825, 8)]))
        #expect(1...ExifTags.most ~= ExifTags(in: block).entries)
    }

    @Test("overlapping directories count with all of their entries")
    func overlapping() {
        // Each of the twelve directories announces a thousand entries, which are in the bytes after it.
        let first = Self.directory((0..<12).map { (Self.pointers[$0 % 3], 158 + 2 * $0) })
        let counts = (0..<12).flatMap { _ in Self.little(1000, 2) }
        let block = Self.block(first, counts, [UInt8](repeating: 0, count: 20_000))
        #expect(ExifTags(in: block).entries > ExifTags.most)
    }

    /// A block of 65 000 bytes with one directory, whose entries are all the same.
    private static func repeated(_ tag: Int, type: Int, count: Int, offset: Int = 0, times: Int) -> [UInt8] {
        let entries = (0..<times).map { _ in (tag: tag, type: type, count: count, offset: offset) }
        let bytes = block(directory(entries))
        return bytes + [UInt8](repeating: 0, count: 65_000 - bytes.count)
    }

    @Test(
        "a value counts once more for each 4096 bytes that libexif copies",
        arguments: [
            (2, 4095, 0, 1), (2, 4096, 0, 2), (5, 512, 0, 2), (3, 32_500, 0, 16), (7, 61_440, 0, 16),
            // These are dropped before a byte is copied: outside the block, or of an unknown type.
            (2, 65_001, 0, 1), (2, 65_000, 1, 1), (0, 65_000, 0, 1), (13, 65_000, 0, 1), (12, 0xffff_ffff, 0, 1),
        ]
    )
    func values(type: Int, count: Int, offset: Int, cost: Int) {
        let block = Self.repeated(0x010e, type: type, count: count, offset: offset, times: 1)
        #expect(ExifTags(in: block).entries == cost)
    }

    @Test("a directory that repeats a long value or the embedded thumbnail has too many entries")
    func repeatedValues() {
        #expect(ExifTags(in: Self.repeated(0x010e, type: 2, count: 64_000, times: 5000)).entries > ExifTags.most)
        #expect(ExifTags(in: Self.repeated(0x0201, type: 4, count: 1, offset: 8, times: 5000)).entries > ExifTags.most)
        #expect(ExifTags(in: Self.repeated(0x010e, type: 2, count: 6, times: 5000)).entries == 5000)
    }

    @Test(
        "a maker note like one of Apple's has at most 300 entries",
        arguments: [
            ("MM\u{1}\u{2c}", false), ("MM\u{1}\u{2d}", true), ("II\u{2c}\u{1}", false), ("II\u{2d}\u{1}", true),
            ("XX\u{7f}\u{7f}", false),
        ]
    )
    func makerNote(order: String, isRefused: Bool) {
        let note = Array("Apple iOS\0\0\u{1}\(order)".utf8)
        let block = Self.block(Self.directory([(0x8769, 26)]), Self.directory([(0x927c, 7, note.count, 44)]), note)
        #expect((ExifTags(in: block).entries > ExifTags.most) == isRefused)
    }

    @Test("a note that is not Apple's may have any bytes")
    func otherNote() {
        let note = Array("Taken on 3. MMXXIV by J. Smith".utf8)
        let block = Self.block(Self.directory([(0x8769, 26)]), Self.directory([(0x927c, 7, note.count, 44)]), note)
        #expect(ExifTags(in: block).entries == 2)
    }

    @Test("the number of a note's entries counts where libexif reads no directories", arguments: ["", "Exif\0\0"])
    func longNote(prefix: String) {
        let note = Array("Apple iOS\0".utf8)
        let start = ExifTags.maxLength - 6 - note.count
        var block = Self.block(Self.directory([(0x8769, 26)]), Self.directory([(0x927c, 7, note.count, start)]))
        block += [UInt8](repeating: 0, count: start - block.count)
        block += note + Array("\0\u{1}MM\u{1}\u{2d}".utf8)
        #expect(ExifTags(in: Array(prefix.utf8) + block).entries > ExifTags.most)
    }

    @Test("a long block is read as far as libexif reads it, with its prefix and without")
    func length() {
        // The last directory has three entries, and libexif stops reading in the middle of the third.
        let start = ExifTags.maxLength - 6 - 32
        var block = Self.block(Self.directory([(0x8769, start)]))
        block += [UInt8](repeating: 0, count: start - block.count)
        block += Self.directory([(0x9000, 1), (0x9001, 1), (0x9002, 1)])
        #expect(ExifTags(in: block).entries == 3)
        #expect(ExifTags(in: Array("Exif\0\0".utf8) + block).entries == 3)
    }

    @Test("an entry without bytes has no text")
    func emptyText() {
        let block = Self.block(Self.directory([(0x010e, 2, 0, 0), (0x8298, 2, 1, 0)]))
        #expect(ExifTags(in: block).text(of: 0x010e) == nil)
        #expect(ExifTags(in: block).text(of: 0x8298) == "")
    }

    @Test("a directory that is cut off has the entries that are there, and others are read after it")
    func cutOff() {
        var block = Self.block(Self.directory([(0x8825, 38), (0x8769, 38)]), Self.directory([(0x0001, 0)]))
        block[38] = 200
        #expect(ExifTags(in: block).entries == 4)
    }

    @Test(
        "what is no EXIF has no entries",
        arguments: ["", "II*", "II*\0\u{8}\0\0\0", "Exif\0\0", "MM\0*\u{7f}\u{7f}"]
    )
    func other(text: String) {
        #expect(ExifTags(in: Array(text.utf8)).entries == 0)
    }

    @Test("no bytes stop the walk, and it ends at its limit", arguments: 0..<5)
    func hostile(seed: UInt64) {
        let sample = Self.block(Self.directory([(0x8769, 38), (0x8825, 8)], next: 38), Self.tangled(3, at: 8))
        for bytes in Damage.mutations(of: sample, count: 200, seed: seed) + Damage.truncations(of: sample) {
            #expect(ExifTags(in: bytes).entries <= ExifTags.most + 1)
        }
    }
}
