import CTurboJPEG
import CVips
import Domain
import Testing

@testable import VipsMedia

@Suite struct JPEGShrinkerTests {
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
            let file = try TurboSample.encoded(ImageSample.plain(color, source), source, subsampling)
            for result in results {
                let size = ImageSize(width: result[0], height: result[1])
                let pixels = try #require(TurboSample.shrink(file, of: source, to: size), "\(source) to \(size)")
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
            let pixels = try #require(TurboSample.shrink(file, of: source, to: size))
            let expected = try thumbnail(file, to: size)
            #expect(pixels.count == expected.count)
            let difference = TurboSample.meanDifference(pixels, expected)
            #expect(difference < 1.5, "\(size): \(difference)")
        }
    }

    @Test("files of several scans and of arithmetic codes are for libvips")
    func otherCodes() throws {
        let (source, size) = (ImageSize(width: 203, height: 151), ImageSize(width: 50, height: 37))
        let pixels = TurboSample.waves(source)
        #expect(TurboSample.shrink(try TurboSample.progressive(pixels, source), of: source, to: size) == nil)
        var file = try TurboSample.encoded(pixels, source)
        #expect(TurboSample.shrink(file, of: source, to: size) != nil)
        let frame = try #require(file.indices.first { file[$0] == 0xff && file[$0 + 1] == 0xc0 })
        file[frame + 1] = 0xc9
        #expect(TurboSample.shrink(file, of: source, to: size) == nil)
    }

    @Test("what is no shrinking, or another image than the header said, is for libvips")
    func sizes() throws {
        let source = ImageSize(width: 40, height: 30)
        let file = try TurboSample.encoded(TurboSample.waves(source), source)
        for (width, height) in [(40, 10), (10, 30), (41, 31), (0, 10), (10, 0), (-1, 5)] {
            #expect(TurboSample.shrink(file, of: source, to: ImageSize(width: width, height: height)) == nil)
        }
        let size = ImageSize(width: 10, height: 10)
        #expect(TurboSample.shrink(file, of: ImageSize(width: 41, height: 30), to: size) == nil)
        #expect(TurboSample.shrink(file, of: source, to: size) != nil)
        let tiny = ImageSize(width: 7, height: 7)
        let tinyFile = try TurboSample.encoded(TurboSample.waves(tiny), tiny)
        #expect(TurboSample.shrink(tinyFile, of: tiny, to: ImageSize(width: 3, height: 3)) == nil)
    }

    @Test("files with faults and of other colours are for libvips")
    func faults() throws {
        let source = ImageSize(width: 160, height: 120)
        // At 1/8, 2/8, 3/8, whole.
        let sizes = [(10, 7), (20, 15), (30, 22), (150, 110)].map { ImageSize(width: $0.0, height: $0.1) }
        let file = try TurboSample.encoded(TurboSample.waves(source), source)
        let cmyk = try TurboSample.cmyk(source)
        for size in sizes {
            #expect(TurboSample.shrink(file, of: source, to: size) != nil)
            #expect(TurboSample.shrink(cmyk, of: source, to: size) == nil)
            // The last two bytes say that the image ends.
            for count in [0, 1, 2, 20, file.count / 2, file.count - 40, file.count - 2] {
                let isRefused = TurboSample.shrink(Array(file[..<count]), of: source, to: size) == nil
                #expect(isRefused, "\(size): \(count) bytes")
            }
            #expect(TurboSample.shrink([UInt8](repeating: 0x5a, count: 5000), of: source, to: size) == nil)
        }
        // None of these may do more than fail.
        for damaged in Damage.mutations(of: file, count: 300, seed: 7) {
            for size in sizes { _ = TurboSample.shrink(damaged, of: source, to: size) }
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
        let result = TurboSample.shrink(file, of: source, to: size) {
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
        #expect((JPEGShrinker.memoryEstimate(of: source, to: size) == nil) == (eighths == nil))
    }

    @Test("the memory estimate grows with what is in memory")
    func estimates() throws {
        let source = ImageSize(width: 4000, height: 3000)
        func estimate(_ width: Int, _ height: Int) throws -> Int {
            try #require(JPEGShrinker.memoryEstimate(of: source, to: ImageSize(width: width, height: height)))
        }
        #expect(try estimate(200, 150) < 8_000_000)
        #expect(try estimate(512, 384) > 3 * 1500 * 1125)
        #expect(try estimate(1600, 1200) < 12_000_000)
    }

    @Test(
        "photographs of all sizes are made smaller within what the plan reckons",
        arguments: [(640, 480), (1920, 1080), (4000, 3000), (8000, 6000), (12_000, 12_500), (3000, 9000)]
    )
    func reckoned(width: Int, height: Int) throws {
        let source = ImageSize(width: width, height: height)
        let header = ImageHeader(format: .jpeg, size: source)
        for divisor in [1.2, 2, 3.9, 4, 7.9, 8, 15, 16, 40] {
            let size = ImageSize(width: Int(Double(width) / divisor), height: Int(Double(height) / divisor))
            let estimate = try #require(JPEGShrinker.memoryEstimate(of: source, to: size))
            #expect(estimate + 3 * size.area <= header.downscaledMemory(to: size), "by \(divisor)")
        }
    }

    @Test("a decoder takes this way for a photograph, and only for what it is made for")
    func taken() throws {
        try VipsLibrary.start()
        let (source, size) = (ImageSize(width: 203, height: 151), ImageSize(width: 50, height: 37))
        let pixels = TurboSample.waves(source)
        func isTaken(
            _ file: [UInt8],
            _ effort: ImageEffort = .fast,
            _ change: (inout ImageHeader) -> Void = { _ in }
        ) throws -> Bool {
            var header = ImageHeader(format: .jpeg, size: source)
            change(&header)
            let decoder = ImageDecoder(header: header, effort: effort, watch: JobWatch(until: nil))
            return try file.withUnsafeBytes { bytes in
                let image = try decoder.shortened(.memory(bytes), to: size)
                let drawn = image?.size
                #expect(drawn == nil || drawn == size)
                return drawn != nil
            }
        }
        let file = try TurboSample.encoded(pixels, source)
        #expect(try isTaken(file))
        #expect(try isTaken(TurboSample.encoded(pixels, source, TJSAMP_GRAY)))
        #expect(try !isTaken(file, .best))
        #expect(try !isTaken(file) { $0.isProgressive = true })
        #expect(try !isTaken(file) { $0.format = .png })
    }
}
