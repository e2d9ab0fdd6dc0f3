import Domain
import Testing

/// `imageView` and `imageView2`, and what is no operator at all (protocol/files 5.1 to 5.3).
@Suite struct ImageViewParsingTests {
    private func legacy(_ mode: ImageView.Mode, _ width: Int?, _ height: Int?) -> ImageView {
        ImageView(mode: mode, width: width, height: height, isLegacy: true)
    }

    @Test(
        "what the SDKs write is understood",
        arguments: [
            ("imageView/2/w/200/h/100/q/100/format/png", ImageView.Mode.inside, ImageFormat.png),
            ("imageView/1/w/200/h/100/q/100/format/jpg", .cut, .jpeg),
            ("imageView/2/w/200/h/100/q/100", .inside, nil),
        ] as [(String, ImageView.Mode, ImageFormat?)]
    )
    func sdk(query: String, mode: ImageView.Mode, format: ImageFormat?) throws {
        var view = legacy(mode, 200, 100)
        view.encoding.quality = 100
        view.encoding.format = format
        #expect(try ImageRequest.only(query) == .view(view))
    }

    @Test(
        "each mode is read",
        arguments: [
            (0, ImageView.Mode.insideByLength), (1, .cut), (2, .inside), (3, .around), (4, .aroundByLength),
            (5, .cutByLength),
        ]
    )
    func modes(number: Int, mode: ImageView.Mode) throws {
        let view = try ImageRequest.only("imageView2/\(number)/w/200/h/100")
        #expect(view == .view(ImageView(mode: mode, width: 200, height: 100)))
    }

    @Test(
        "a missing side bounds nothing in modes 0 and 2, and makes a square in the others",
        arguments: [
            ("imageView2/0/w/80", 80, nil), ("imageView2/2/w/80", 80, nil), ("imageView2/2/h/80", nil, 80),
            ("imageView/2/h/80", nil, 80), ("imageView2/1/w/80", 80, 80), ("imageView2/3/h/80", 80, 80),
            ("imageView2/4/w/80", 80, 80), ("imageView2/5/h/80", 80, 80), ("imageView/1/w/80", 80, 80),
            ("imageView2/2/w/0/h/80", nil, 80), ("imageView2/1/w/80/h/0", 80, 80),
        ] as [(String, Int?, Int?)]
    )
    func missingSide(query: String, width: Int?, height: Int?) throws {
        guard case .view(let view) = try ImageRequest.only(query) else {
            Issue.record("no view")
            return
        }
        #expect(view.width == width)
        #expect(view.height == height)
    }

    @Test(
        "fractions are rounded, half up",
        arguments: [
            ("200.0", 200), ("200.4", 200), ("200.5", 201), ("199.499999999999999999999999", 199), ("0200", 200),
            (".6", 1), ("7.", 7), ("9999.4", 9999),
        ]
    )
    func rounded(text: String, width: Int) throws {
        let view = try ImageRequest.only("imageView2/2/w/\(text)")
        #expect(view == .view(ImageView(mode: .inside, width: width, height: nil)))
    }

    @Test("every parameter is read, in any order")
    func parameters() throws {
        var view = ImageView(mode: .cut, width: 30, height: 40, ignoresErrors: true)
        view.encoding.format = .webp
        view.encoding.quality = 90
        view.encoding.isQualityForced = true
        view.encoding.isProgressive = true
        view.encoding.colors = 16
        let query = "imageView2/1/ignore-error/1/colors/16/q/90!/h/40/interlace/1/format/WebP/w/30"
        #expect(try ImageRequest.only(query) == .view(view))
    }

    @Test(
        "formats are taken in any case",
        arguments: [
            ("jpg", ImageFormat.jpeg), ("JPG", .jpeg), ("jpeg", .jpeg), ("Png", .png), ("WEBP", .webp), ("gif", .gif),
            ("avif", .avif),
        ]
    )
    func formats(word: String, format: ImageFormat) throws {
        var view = ImageView(mode: .inside, width: 8, height: nil)
        view.encoding.format = format
        #expect(try ImageRequest.only("imageView2/2/w/8/format/\(word)") == .view(view))
    }

    @Test(
        "escapes, a slash at the end and what follows the first & change nothing",
        arguments: [
            "imageView/2/w/200/", "imageView%2F2%2Fw%2F200", "imageView/2/w/200&e=1&token=x", "imageView/2/w/200/&v=3",
            "imageView/2/%77/20%30", "imageView/2/w/200&\u{301}", "imageView/2/w/200&%",
            // Clients that parse the query as a form and write it again add the sign.
            "imageView%2F2%2Fw%2F200=&v=1", "imageView/2/w/200=",
        ]
    )
    func passedOver(query: String) throws {
        #expect(try ImageRequest.only(query) == .view(legacy(.inside, 200, nil)))
    }

    @Test(
        "ordinary parameters mean the file itself",
        arguments: [
            "", "v=3", "attname=a.png", "t=1/2", "&imageView/2/w/1", "attname=%D6%D0.png", "x=%", "v%3D3", "=", "a=b|c",
            "v=", "imageName=", "%zz=", "imageInfo==", "imageInfo=1", "imageslim%7CimageInfo=1", "t%2F1=2/3",
        ]
    )
    func noWords(query: String) throws {
        #expect(try ImageRequest.read(query) == nil)
    }

    @Test(
        "padded Base64 in a chain that was written again as a form changes nothing",
        arguments: [
            ("watermark/2/text/SGVsbG8=/dx/5", "watermark%2F2%2Ftext%2FSGVsbG8=%2Fdx%2F5&v=1"),
            ("watermark/2/text/SGVsbA==/dx/5", "watermark%2F2%2Ftext%2FSGVsbA=%3D%2Fdx%2F5"),
            ("watermark/2/text/SGVsbA==", "watermark%2F2%2Ftext%2FSGVsbA=%3D&v=1"),
            (
                "imageView2/2/w/8|watermark/2/text/SGVsbG8=/dx/5",
                "imageView2%2F2%2Fw%2F8%7Cwatermark%2F2%2Ftext%2FSGVsbG8=%2Fdx%2F5"
            ),
        ]
    )
    func padding(query: String, rewritten: String) throws {
        let request = try #require(try ImageRequest.read(query))
        #expect(try ImageRequest.read(rewritten)?.operators == request.operators)
        #expect(ImageRequest.isRequested(by: rewritten))
    }

    @Test(
        "a value behind the parameters of an operator is refused",
        arguments: ["imageView2%2F2%2Fw%2F8=5", "imageView2%2F2%2Fw%2F8==", "exif%2F=%zz"]
    )
    func value(query: String) {
        #expect(ImageRequest.isRequested(by: query))
        #expect(throws: ServiceError.self) { try ImageRequest.read(query) }
    }

    @Test("operators for information and imageslim are read, alone and at the end of a chain")
    func others() throws {
        #expect(try ImageRequest.read("imageInfo")?.operators == [.info])
        #expect(try ImageRequest.read("exif/")?.operators == [.exif])
        #expect(try ImageRequest.read("exif=")?.operators == [.exif])
        #expect(try ImageRequest.read("imageslim%7CimageInfo=&v=1")?.operators == [.slim(level: 3), .info])
        #expect(try ImageRequest.read("imageAve")?.operators == [.average])
        #expect(try ImageRequest.read("stat&v=1")?.operators == [.stat])
        #expect(try ImageRequest.read("imageslim")?.operators == [.slim(level: 3)])
        #expect(try ImageRequest.read("imageslim/zlevel/0%7CimageInfo")?.operators == [.slim(level: 0), .info])
    }

    @Test("a chain has its operators in the order written")
    func chain() throws {
        let request = try ImageRequest.read("imageView2/2/w/8%7CimageMogr2/rotate/90|imageslim")
        var mogr = ImageMogr2()
        mogr.steps = [.rotate(90)]
        #expect(
            request?.operators
                == [.view(ImageView(mode: .inside, width: 8, height: nil)), .mogr(mogr), .slim(level: 3)]
        )
    }

    @Test("a style's chain is read as it is: no escapes, nothing behind an &")
    func style() throws {
        let request = try ImageRequest(chain: "imageMogr2/thumbnail/9x9>|imageslim", context: imageParsing)
        #expect(try request == ImageRequest.read("imageMogr2/thumbnail/9x9%3E%7Cimageslim"))
        for wrong in ["imageView%2F2/w/8", "imageView2/2/w/8&v=3", "", "v=3"] {
            #expect(throws: ServiceError.self) { try ImageRequest(chain: wrong, context: imageParsing) }
        }
    }
}
