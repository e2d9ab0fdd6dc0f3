import Testing

@testable import VipsMedia

/// How many strips or tiles libtiff expects of a directory.
@Suite struct TIFFLayoutTests {
    private static func count(_ values: [(Int, Int?)]) -> Int {
        var layout = TIFFLayout()
        for (tag, value) in values { layout.add(value, of: tag) }
        return layout.strips
    }

    @Test(
        "strips follow from the length and the rows of each",
        arguments: [
            ([], 0), ([(257, 100)], 1), ([(257, 100), (278, 1)], 100), ([(257, 100), (278, 99)], 2),
            ([(257, 100), (278, 100)], 1), ([(257, 100), (278, 0)], 100),
            ([(257, 0xffff_ffff), (278, 0xffff_ffff), (259, 5)], 1),
            ([(257, 100), (278, 10), (277, 4)], 10), ([(257, 100), (278, 10), (277, 4), (284, 1)], 10),
            ([(257, 100), (278, 10), (277, 4), (284, 2)], 40),
        ] as [([(Int, Int?)], Int)]
    )
    func strips(values: [(Int, Int?)], expected: Int) {
        #expect(Self.count(values) == expected)
    }

    @Test(
        "an image of one strip that is not compressed is cut into strips of 8 KB, or of one row",
        arguments: [
            ([(256, 100), (257, 100), (258, 8)], 2), ([(256, 8192), (257, 100), (258, 8)], 100),
            ([(256, 8193), (257, 1_000_000), (258, 8)], 1_000_000),
            ([(256, 8193), (257, 1_000_000), (258, 8), (259, 1)], 1_000_000),
            ([(256, 8193), (257, 1_000_000), (258, 8), (259, 5)], 1),
            ([(256, 8193), (257, 1_000_000), (258, 8), (259, 5), (259, 1)], 1_000_000),
            ([(256, 1000), (257, 1_000_000), (277, 3), (258, nil)], 1_000_000),
        ] as [([(Int, Int?)], Int)]
    )
    func cut(values: [(Int, Int?)], expected: Int) {
        #expect(Self.count(values) == expected)
    }

    @Test(
        "tiles follow from the sides of the image and of each",
        arguments: [
            ([(256, 100), (257, 50), (322, 16), (323, 16)], 28),
            ([(256, 100), (257, 50), (322, 16), (323, 16), (277, 3), (284, 2)], 84),
            ([(256, 100), (257, 50), (278, 1), (322, 100), (323, 50)], 1),
            ([(256, 100), (257, 50), (322, 16), (323, 16), (32_997, 10), (32_998, 5)], 56),
        ] as [([(Int, Int?)], Int)]
    )
    func tiles(values: [(Int, Int?)], expected: Int) {
        #expect(Self.count(values) == expected)
    }

    @Test(
        "of two values, and of one that is not in its entry, the one with more strips counts",
        arguments: [
            ([(257, 100), (257, 5), (278, 1), (278, 50)], 100), ([(257, 100), (278, nil)], 100),
            ([(257, nil), (278, 1)], 1 << 32), ([(257, 100), (277, 3), (284, nil)], 3),
        ] as [([(Int, Int?)], Int)]
    )
    func worst(values: [(Int, Int?)], expected: Int) {
        #expect(Self.count(values) == expected)
    }

    @Test("the largest values do not overflow")
    func overflow() {
        let values: [(Int, Int?)] = [
            (256, .max), (257, .max), (277, .max), (32_997, .max), (284, 2), (322, 1), (323, 1), (32_998, 1),
        ]
        #expect(Self.count(values) == 1 << 32)
    }
}
