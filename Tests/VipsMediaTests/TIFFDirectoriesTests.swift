import Testing

@testable import VipsMedia

/// Which TIFFs libtiff opens in this process.
@Suite struct TIFFDirectoriesTests {
    /// A tag, the number of its type, and how many values it has, all of which begin at offset 0.
    private typealias Entry = (tag: Int, type: Int, count: Int)

    /// The forms of a TIFF: big-endian or not, BigTIFF or not.
    static let forms = [(false, false), (false, true), (true, false), (true, true)]

    /// A file with these directories, one after the other, and zeros up to a size.
    private static func file(
        _ directories: [[Entry]],
        size: Int = 0,
        isBigEndian: Bool = false,
        isBigTIFF: Bool = false,
        isLoop: Bool = false
    ) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        let wide = isBigTIFF ? 8 : 4
        let start = isBigTIFF ? 16 : 8
        var bytes = Array((isBigEndian ? "MM" : "II").utf8)
        bytes += number(isBigTIFF ? 43 : 42, 2)
        if isBigTIFF { bytes += number(8, 2) + number(0, 2) }
        bytes += number(start, wide)
        for (index, entries) in directories.enumerated() {
            bytes += number(entries.count, isBigTIFF ? 8 : 2)
            for entry in entries {
                bytes += number(entry.tag, 2)
                bytes += number(entry.type, 2)
                bytes += number(entry.count, wide)
                bytes += number(0, wide)
            }
            let isLast = index == directories.count - 1
            bytes += number(isLast ? (isLoop ? start : 0) : bytes.count + wide, wide)
        }
        return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    private static func areFew(_ bytes: [UInt8]) throws -> Bool? {
        let window = ByteWindow(budget: HeaderReader.walk) { Array(bytes.dropFirst($0).prefix($1)) }
        guard var directories = try TIFFDirectories(window, fileSize: bytes.count) else { return nil }
        return try directories.areFew()
    }

    @Test("the tables of strips of a page can have 2^20 numbers together, each also of one byte", arguments: forms)
    func strips(isBigEndian: Bool, isBigTIFF: Bool) throws {
        for (count, expected) in [(1 << 19, true), ((1 << 19) + 1, false)] {
            let bytes = Self.file(
                [[(273, 1, count), (279, 1, 1 << 19)]],
                size: 1 << 20,
                isBigEndian: isBigEndian,
                isBigTIFF: isBigTIFF
            )
            #expect(try Self.areFew(bytes) == expected)
        }
    }

    @Test("many directories cannot share one large table")
    func sharedTable() throws {
        let directory: [Entry] = [(273, 1, 1 << 15)]
        #expect(try Self.areFew(Self.file([[Entry]](repeating: directory, count: 128), size: 1 << 16)) == true)
        #expect(try Self.areFew(Self.file([[Entry]](repeating: directory, count: 129), size: 1 << 16)) == false)
    }

    @Test(
        "values that libtiff stores as bytes are no numbers",
        arguments: [(34_675, 7), (270, 2), (700, 1), (34_675, 1), (50_740, 1), (50_740, 6)]
    )
    func metadata(tag: Int, type: Int) throws {
        #expect(try Self.areFew(Self.file([[(tag, type, 3 << 20)]], size: 3 << 20)) == true)
    }

    @Test("single bytes that libtiff widens are numbers", arguments: [273, 279, 320, 324, 325, 330, 33_723])
    func widened(tag: Int) throws {
        for type in [1, 6] {
            #expect(try Self.areFew(Self.file([[(tag, type, 1 << 20)]], size: 3 << 20)) == true)
            #expect(try Self.areFew(Self.file([[(tag, type, (1 << 20) + 1)]], size: 3 << 20)) == false)
        }
    }

    @Test("directories can share 4 MB of metadata, not more", arguments: [(2, true), (3, false)])
    func sharedMetadata(count: Int, expected: Bool) throws {
        let directory: [Entry] = [(34_675, 7, 3 << 20)]
        let bytes = Self.file([[Entry]](repeating: directory, count: count), size: 3 << 20)
        #expect(try Self.areFew(bytes) == expected)
    }

    @Test("values beyond the end of the file count for as many as the file can have")
    func beyondEnd() throws {
        #expect(try Self.areFew(Self.file([[(273, 4, 0xffff_ffff), (5, 99, 0xffff_ffff)]])) == true)
    }

    @Test("a file can have 256 different tags", arguments: [(256, true), (257, false)])
    func tags(count: Int, expected: Bool) throws {
        #expect(try Self.areFew(Self.file([(1...count).map { ($0, 3, 1) }])) == expected)
    }

    @Test("a directory can have 1024 entries", arguments: [(1024, true), (1025, false)])
    func entries(count: Int, expected: Bool) throws {
        #expect(try Self.areFew(Self.file([[Entry](repeating: (256, 3, 1), count: count)])) == expected)
    }

    @Test("a file can have 4096 directories", arguments: [(4096, true), (4097, false)])
    func directories(count: Int, expected: Bool) throws {
        let directory: [Entry] = [(256, 3, 1)]
        #expect(try Self.areFew(Self.file([[Entry]](repeating: directory, count: count))) == expected)
    }

    @Test("the last directory can be followed by the first, which is not read again")
    func loop() throws {
        #expect(try Self.areFew(Self.file([[(256, 3, 1)], [(256, 3, 1)]], isLoop: true)) == true)
    }

    @Test("bytes that begin no TIFF have no directories", arguments: ["", "II", "II\u{1}\u{0}", "GIF89a"])
    func noTIFF(text: String) throws {
        #expect(try Self.areFew(Array(text.utf8)) == nil)
    }

    @Test("no bytes stop the walk", arguments: forms)
    func hostile(isBigEndian: Bool, isBigTIFF: Bool) throws {
        let sample = Self.file(
            [[(256, 3, 1), (273, 4, 10)], [(256, 3, 1)]],
            isBigEndian: isBigEndian,
            isBigTIFF: isBigTIFF
        )
        for bytes in Damage.mutations(of: sample, count: 200, seed: 1) { _ = try Self.areFew(bytes) }
        for bytes in Damage.truncations(of: sample) { _ = try Self.areFew(bytes) }
    }
}
