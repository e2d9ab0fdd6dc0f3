import CTurboJPEG
import CVips
import Domain
import Testing

@testable import VipsMedia

@Suite struct JPEGShrinkerTests {
    /// The result's pixels; nothing if the file is not for a shrinker.
    private func shrink(
        _ file: [UInt8],
        of source: ImageSize,
        to size: ImageSize,
        mustStop: () -> Bool = { false }
    ) -> [UInt8]? {
        file.withUnsafeBytes { bytes in
            guard let shrinker = JPEGShrinker(bytes, of: source, to: size) else { return nil }
            // What lies behind the result must stay as it is.
            let count = size.area * shrinker.bands
            var pixels = [UInt8](repeating: 0xa5, count: count + 64)
            let isDrawn = pixels.withUnsafeMutableBytes { memory in
                shrinker.draw(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]), mustStop: mustStop)
            }
            #expect(pixels[count...].allSatisfy { $0 == 0xa5 })
            return isDrawn ? Array(pixels[..<count]) : nil
        }
    }

    /// libvips' own result for a file of three bands.
    private func thumbnail(_ file: [UInt8], to size: ImageSize) throws -> [UInt8] {
        try VipsLibrary.start()
        return try file.withUnsafeBytes { bytes in
            var image: UnsafeMutablePointer<VipsImage>?
            let source = VipsSourceHandle(.memory(bytes), watch: nil)
            let (width, height) = (CInt(size.width), CInt(size.height))
            guard cvips_thumbnail_source(source.pointer, &image, width, height, "", 1, 0, 0) == 0, let image else {
                throw VipsError.take("thumbnail_source")
            }
            defer { g_object_unref(image) }
            var count = 0
            guard let memory = vips_image_write_to_memory(image, &count) else { throw VipsError.take("memory") }
            defer { g_free(memory) }
            return Array(UnsafeRawBufferPointer(start: memory, count: count))
        }
    }

    private func meanDifference(_ first: [UInt8], _ second: [UInt8]) -> Double {
        let sum = zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(1, first.count))
    }

    @Test("a plain colour stays what it is at any size and subsampling", arguments: TurboSample.subsamplings.indices)
    func plain(index: Int) throws {
        let subsampling = TurboSample.subsamplings[index]
        let isGrey = subsampling == TJSAMP_GRAY
        let color: [UInt8] = isGrey ? [90, 90, 90] : [180, 90, 40]
        let sizes: [(source: [Int], results: [[Int]])] = [
            (
                [301, 99],
                [
                    [1, 1], [300, 98], [100, 33], [75, 24], [61, 21], [31, 9], [18, 6], [7, 3], [300, 1], [1, 98],
                ]
            ),
            ([17, 1003], [[1, 1], [16, 1002], [5, 300], [4, 250], [2, 125], [1, 62], [16, 1], [1, 1002]]),
            ([8, 8], [[7, 7], [2, 2], [1, 1]]),
            ([9, 2], [[8, 1], [1, 1]]),
        ]
        for (source, results) in sizes {
            let source = ImageSize(width: source[0], height: source[1])
            let file = try TurboSample.encoded(PictureSample.plain(color, source), source, subsampling)
            for result in results {
                let size = ImageSize(width: result[0], height: result[1])
                let pixels = try #require(shrink(file, of: source, to: size), "\(source) to \(size)")
                let bands = isGrey ? 1 : 3
                #expect(pixels.count == size.area * bands)
                let far = pixels.indices.first { abs(Int(pixels[$0]) - Int(color[$0 % bands])) > 1 }
                #expect(far == nil, "\(source) to \(size): \(pixels.prefix(6))")
            }
        }
    }

    @Test("pixels are those of libvips, almost", arguments: TurboSample.subsamplings.indices.dropLast())
    func pixels(index: Int) throws {
        // Whole eighths: libvips takes the rest of others for a whole pixel.
        let source = ImageSize(width: 1000, height: 752)
        let file = try TurboSample.encoded(TurboSample.waves(source), source, TurboSample.subsamplings[index])
        for (width, height) in [(700, 526), (300, 226), (200, 150), (100, 75), (57, 43)] {
            let size = ImageSize(width: width, height: height)
            let pixels = try #require(shrink(file, of: source, to: size))
            let expected = try thumbnail(file, to: size)
            #expect(pixels.count == expected.count)
            let difference = meanDifference(pixels, expected)
            #expect(difference < 1.5, "\(size): \(difference)")
        }
    }

    @Test("pixels of odd sizes lie where they belong", arguments: TurboSample.subsamplings.indices.dropLast())
    func places(index: Int) throws {
        let source = ImageSize(width: 1003, height: 749)
        let ramps = (0..<source.area).flatMap { place -> [UInt8] in
            [UInt8(place % source.width / 4), UInt8(place / source.width / 4), 128]
        }
        let file = try TurboSample.encoded(ramps, source, TurboSample.subsamplings[index])
        for (width, height) in [(700, 523), (299, 224), (201, 149), (100, 75), (57, 43)] {
            let size = ImageSize(width: width, height: height)
            let pixels = try #require(shrink(file, of: source, to: size))
            let expected = (0..<size.area).flatMap { place -> [UInt8] in
                let x = (Double(place % width) + 0.5) * 1003 / Double(width) / 4 - 0.5
                let y = (Double(place / width) + 0.5) * 749 / Double(height) / 4 - 0.5
                return [UInt8(max(0, x.rounded())), UInt8(max(0, y.rounded())), 128]
            }
            let difference = meanDifference(pixels, expected)
            #expect(difference < 0.7, "\(size): \(difference)")
        }
    }

    @Test("a file in passes gives the same as one in rows")
    func progressive() throws {
        let (source, size) = (ImageSize(width: 203, height: 151), ImageSize(width: 50, height: 37))
        let pixels = TurboSample.waves(source)
        let inPasses = try shrink(TurboSample.progressive(pixels, source), of: source, to: size)
        #expect(inPasses != nil)
        #expect(try shrink(TurboSample.encoded(pixels, source), of: source, to: size) == inPasses)
    }

    @Test("what is no shrinking, or another picture than the header said, is for libvips")
    func sizes() throws {
        let source = ImageSize(width: 40, height: 30)
        let file = try TurboSample.encoded(TurboSample.waves(source), source)
        for (width, height) in [(40, 10), (10, 30), (41, 31), (0, 10), (10, 0), (-1, 5)] {
            #expect(shrink(file, of: source, to: ImageSize(width: width, height: height)) == nil)
        }
        let size = ImageSize(width: 10, height: 10)
        #expect(shrink(file, of: ImageSize(width: 41, height: 30), to: size) == nil)
        #expect(shrink(file, of: source, to: size) != nil)
        let tiny = ImageSize(width: 7, height: 7)
        let tinyFile = try TurboSample.encoded(TurboSample.waves(tiny), tiny)
        #expect(shrink(tinyFile, of: tiny, to: ImageSize(width: 3, height: 3)) == nil)
    }

    @Test("files with faults and of other colours are for libvips")
    func faults() throws {
        let (source, size) = (ImageSize(width: 160, height: 120), ImageSize(width: 20, height: 15))
        let file = try TurboSample.encoded(TurboSample.waves(source), source)
        #expect(shrink(try TurboSample.cmyk(source), of: source, to: size) == nil)
        for count in [0, 1, 2, 20, file.count / 2, file.count - 40] {
            #expect(shrink(Array(file[..<count]), of: source, to: size) == nil, "\(count) bytes")
        }
        #expect(shrink([UInt8](repeating: 0x5a, count: 5000), of: source, to: size) == nil)
        // None of these may do more than fail.
        for damaged in Damage.mutations(of: file, count: 300, seed: 7) {
            for size in [size, ImageSize(width: 150, height: 110)] {
                _ = shrink(damaged, of: source, to: size)
            }
        }
    }

    @Test("room of another size than the result's is not written to")
    func room() throws {
        let (source, size) = (ImageSize(width: 40, height: 30), ImageSize(width: 9, height: 9))
        try TurboSample.encoded(TurboSample.waves(source), source).withUnsafeBytes { bytes in
            let shrinker = JPEGShrinker(bytes, of: source, to: size)
            let isThere = shrinker != nil
            #expect(isThere)
            guard let shrinker else { return }
            for count in [0, 3 * 81 - 1, 3 * 81 + 1] {
                var pixels = [UInt8](repeating: 0, count: count)
                let isDrawn = pixels.withUnsafeMutableBytes { shrinker.draw(into: $0) { false } }
                #expect(!isDrawn)
            }
        }
    }

    @Test("stops when it must: at once, after decoding, and between rows", arguments: [0, 1, 2, 4])
    func stopping(answers: Int) throws {
        let (source, size) = (ImageSize(width: 300, height: 200), ImageSize(width: 100, height: 99))
        let file = try TurboSample.encoded(TurboSample.waves(source), source)
        var asked = 0
        let result = shrink(file, of: source, to: size) {
            asked += 1
            return asked > answers
        }
        #expect(result == nil)
        #expect(asked == answers + 1)
    }

    @Test(
        "how many eighths",
        arguments: [
            (4000, 3000, 200, 150, 1), (4000, 3000, 250, 187, 1), (4000, 3000, 251, 188, 2), (4000, 3000, 500, 375, 2),
            (4000, 3000, 512, 384, 3), (4000, 3000, 1000, 750, 3), (4000, 3000, 1001, 750, 8),
            (4000, 3000, 1600, 1200, 8), (4000, 3000, 3999, 2999, 8), (4000, 3000, 1, 2999, 8), (16, 16, 1, 1, 1),
            (4000, 3000, 4000, 100, nil), (4000, 3000, 100, 3000, nil), (7, 7, 1, 1, nil), (8, 2, 1, 1, 8),
            (70_000, 100, 10, 10, nil), (100, 100, 0, 10, nil),
        ] as [(Int, Int, Int, Int, Int?)]
    )
    func scales(width: Int, height: Int, newWidth: Int, newHeight: Int, eighths: Int?) {
        let (source, size) = (
            ImageSize(width: width, height: height), ImageSize(width: newWidth, height: newHeight)
        )
        #expect(ShrinkScale(from: source, to: size)?.eighths == eighths)
        #expect((JPEGShrinker.price(of: source, to: size, isProgressive: false) == nil) == (eighths == nil))
    }

    @Test("the price grows with what is in memory")
    func prices() throws {
        let source = ImageSize(width: 4000, height: 3000)
        func price(_ width: Int, _ height: Int, isProgressive: Bool = false) throws -> Int {
            let size = ImageSize(width: width, height: height)
            return try #require(JPEGShrinker.price(of: source, to: size, isProgressive: isProgressive))
        }
        #expect(try price(200, 150) < 8_000_000)
        #expect(try price(1600, 1200) > 36_000_000)
        #expect(try price(200, 150, isProgressive: true) > 72_000_000)
    }
}
