import Domain
import Testing

/// `imageMogr2` (protocol/files 5.4).
@Suite struct ImageMogr2ParsingTests {
    private func read(_ operations: String) throws -> ImageMogr2 {
        guard case .mogr(let mogr) = try ImageRequest.only("imageMogr2/\(operations)") else {
            throw ServiceError(.badRequest, "That is no imageMogr2.")
        }
        return mogr
    }

    @Test(
        "each form of thumbnail is read",
        arguments: [
            ("!50p", ThumbnailGeometry.percent(width: 50, height: 50)), ("!50.0p", .percent(width: 50, height: 50)),
            ("!33.33333p", .percent(width: 33.3333, height: 33.3333)), ("50%25", .percent(width: 50, height: 50)),
            ("!50px", .percent(width: 50, height: nil)), ("!x50p", .percent(width: nil, height: 50)),
            ("!50px20p", .percent(width: 50, height: 20)), ("!100px20p", .percent(width: nil, height: 20)),
            ("!0px20p", .percent(width: nil, height: 20)), ("!1000p", .percent(width: 1000, height: 1000)),
            ("!0.000001p", .percent(width: 0.0001, height: 0.0001)),
            ("200x", .fit(width: 200, height: nil)), ("x150", .fit(width: nil, height: 150)),
            ("400x300", .fit(width: 400, height: 300)), ("400x0", .fit(width: 400, height: nil)),
            ("!400x300r", .cover(width: 400, height: 300)), ("400x300%5E", .cover(width: 400, height: 300)),
            ("!400xr", .fit(width: 400, height: nil)), ("400x300!", .exact(width: 400, height: 300)),
            ("100.0x80.0!", .exact(width: 100, height: 80)), ("100.0x0.0!", .fit(width: 100, height: nil)),
            ("400x300%3E", .shrink(width: 400, height: 300)), ("400x>", .shrink(width: 400, height: nil)),
            ("x400>", .shrink(width: nil, height: 400)), ("!400x300>", .shrink(width: 400, height: 300)),
            ("1600x1600<", .enlarge(width: 1600, height: 1600)), ("250000@", .area(250_000)),
            ("1000000x", .fit(width: 1_000_000, height: nil)), ("1000000000000@", .area(1_000_000_000_000)),
        ]
    )
    func thumbnail(value: String, scaling: ThumbnailGeometry) throws {
        #expect(try read("thumbnail/\(value)").steps == [.thumbnail(scaling)])
    }

    @Test(
        "each form of crop is read",
        arguments: [
            ("300x400", Crop(width: 300, height: 400)), ("300x", Crop(width: 300, height: nil)),
            ("x400", Crop(width: nil, height: 400)), ("0x400", Crop(width: nil, height: 400)),
            ("!300x400a10a20", Crop(width: 300, height: 400, dx: 10, dy: 20)),
            ("!300x400-10a20", Crop(width: 300, height: 400, dx: -10, dy: 20)),
            ("!300x400a10-20", Crop(width: 300, height: 400, dx: 10, dy: -20)),
            ("!300x400-10-20", Crop(width: 300, height: 400, dx: -10, dy: -20)),
            ("300x400+10+20", Crop(width: 300, height: 400, dx: 10, dy: 20)),
            ("300x400%2B10%2B20", Crop(width: 300, height: 400, dx: 10, dy: 20)),
            ("300x400-10-20", Crop(width: 300, height: 400, dx: -10, dy: -20)),
            ("!xa10a0", Crop(width: nil, height: nil, dx: 10, dy: 0)),
            ("!300.0x400.0a10.0a20.0", Crop(width: 300, height: 400, dx: 10, dy: 20)),
        ]
    )
    func crop(value: String, cut: Crop) throws {
        #expect(try read("crop/\(value)").steps == [.crop(cut)])
    }

    @Test("gravity holds for the crops behind it", arguments: Gravity.allCases)
    func gravity(gravity: Gravity) throws {
        let mogr = try read("crop/9x/gravity/\(gravity.rawValue)/crop/8x/crop/7x/gravity/East/crop/6x/gravity/West")
        let cuts = [(9, .northWest), (8, gravity), (7, gravity), (6, .east)]
        #expect(mogr.steps == cuts.map { .crop(Crop(width: $0, height: nil, gravity: $1)) })
    }

    @Test("steps stand in the order written, several times")
    func steps() throws {
        let mogr = try read("rotate/90/auto-orient/blur/3x0.5/sharpen/1/thumbnail/9x/blur/50x50/rotate/1/thumbnail/8x")
        #expect(
            mogr.steps == [
                .rotate(90), .autoOrient, .blur(radius: 3, sigma: 0.5), .sharpen,
                .thumbnail(.fit(width: 9, height: nil)), .blur(radius: 50, sigma: 50), .rotate(1),
                .thumbnail(.fit(width: 8, height: nil)),
            ]
        )
    }

    @Test(
        "a step that changes nothing is none",
        arguments: [
            "rotate/360", "sharpen/0", "blur/1x0", "thumbnail/0x0", "thumbnail/x", "thumbnail/0x0!", "thumbnail/!100p",
            "thumbnail/!0p", "thumbnail/!100px100p", "thumbnail/!xr", "crop/x", "crop/0x0", "crop/!xa0a0",
            "gravity/Center", "crop/!0x0-0-0",
        ]
    )
    func nothing(operations: String) throws {
        #expect(try read(operations) == ImageMogr2())
    }

    @Test("a second auto-orient has nothing to turn")
    func autoOrient() throws {
        #expect(try read("auto-orient/rotate/9/auto-orient").steps == [.autoOrient, .rotate(9)])
    }

    @Test("every other parameter is read, in any order")
    func parameters() throws {
        var mogr = ImageMogr2()
        mogr.encoding.format = .gif
        mogr.encoding.quality = 80
        mogr.encoding.isProgressive = true
        mogr.encoding.colors = 2
        mogr.strips = true
        mogr.background = Color(red: 0x66, green: 0x33, blue: 0x99)
        mogr.sizeLimit = ImageMogr2.SizeLimit(bytes: 15_000, isStrict: false)
        mogr.ignoresErrors = true
        let operations =
            "ignore-error/1/size-limit/15000/background/\("RebeccaPurple".inBase64)/strip/colors/1/interlace/1"
        #expect(try read(operations + "/quality/80/format/GIF") == mogr)
        #expect(try read(operations + "/q/80/format/gif/") == mogr)
    }

    @Test(
        "size limits are bytes, kilobytes, megabytes or the file's own size",
        arguments: [
            ("1", 1, false), ("15k", 15_360, false), ("2m!", 2_097_152, true), ("$(fsize)", 48_213, false),
            ("$(fsize)!", 48_213, true), ("1.5k", 1536, false), ("%24%28fsize%29", 48_213, false),
            ("1048576m", 1 << 40, false),
        ]
    )
    func sizeLimit(value: String, bytes: Int, isStrict: Bool) throws {
        let limit = try read("size-limit/\(value)").sizeLimit
        #expect(limit == ImageMogr2.SizeLimit(bytes: bytes, isStrict: isStrict))
    }

    @Test("a file without bytes still has a size limit", arguments: [Int64.min, -1, 0])
    func emptyFile(size: Int64) throws {
        var context = imageParsing
        context.fileSize = size
        let request = try ImageRequest(chain: "imageMogr2/size-limit/$(fsize)", context: context)
        #expect(request.canonical == "imageMogr2/size-limit/1")
    }

    @Test(
        "backgrounds are CSS colours",
        arguments: [
            ("#FFaa00", 255, 170, 0), ("#fa0", 255, 170, 0), ("white", 255, 255, 255), ("DarkSlateGrey", 47, 79, 79),
            ("lightgoldenrodyellow", 250, 250, 210), ("#000", 0, 0, 0),
        ] as [(String, UInt8, UInt8, UInt8)]
    )
    func background(text: String, red: UInt8, green: UInt8, blue: UInt8) throws {
        let color = Color(red: red, green: green, blue: blue)
        #expect(try read("background/\(text.inBase64)").background == color)
        // People cut the padding off.
        #expect(try read("background/\(text.inBase64.replacing("=", with: ""))").background == color)
    }
}
