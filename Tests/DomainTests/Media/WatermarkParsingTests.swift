import Domain
import Testing

/// `watermark/1` to `watermark/4` (protocol/files 5.6).
@Suite struct WatermarkParsingTests {
    private func read(_ operations: String) throws -> [Watermark.Mark] {
        guard case .watermark(let watermark) = try ImageRequest.only("watermark/\(operations)") else {
            throw ServiceError(.badRequest, "That is no watermark.")
        }
        return watermark.marks
    }

    private func logo(
        _ scale: Double? = nil,
        _ scaling: Watermark.MarkScaling = .shortSide
    ) throws -> Watermark.Content {
        .image(Watermark.ImageMark(key: try #require(FileKey("own/logo.png")), scale: scale, scaling: scaling))
    }

    private let image = "image/\("own/logo.png".inBase64)"

    @Test("an image has the defaults of the protocol")
    func defaults() throws {
        let mark = Watermark.Mark(try logo())
        #expect(mark.opacity == 100)
        #expect(mark.gravity == .southEast)
        #expect([mark.dx, mark.dy] == [10, 10])
        #expect(try read("1/\(image)") == [mark])
    }

    @Test("every parameter of an image is read, in any order")
    func picture() throws {
        var mark = Watermark.Mark(try logo(0.25, .height))
        mark.opacity = 40
        mark.gravity = .north
        mark.dx = -7
        mark.dy = 0
        #expect(try read("1/wst/3/dx/-7/dy/0/\(image)/gravity/North/ws/0.25/dissolve/40") == [mark])
    }

    @Test(
        "each way to scale an image is read",
        arguments: [
            ("ws/1", 1, .shortSide), ("ws/0.5/wst/0", 0.5, .shortSide), ("ws/.5/wst/1", 0.5, .longSide),
            ("ws/0.5/wst/2", 0.5, .width), ("ws/0.00000000001", 0.0001, .shortSide), ("wst/2", nil, .shortSide),
        ] as [(String, Double?, Watermark.MarkScaling)]
    )
    func scaling(operations: String, scale: Double?, scaling: Watermark.MarkScaling) throws {
        #expect(try read("1/\(image)/\(operations)") == [Watermark.Mark(try logo(scale, scaling))])
    }

    @Test("every parameter of a text is read, in any order")
    func text() throws {
        var text = Watermark.TextMark("© 小狗")
        text.font = "Noto Sans CJK SC"
        text.size = 500
        text.color = Color(red: 255, green: 0, blue: 0)
        var mark = Watermark.Mark(.text(text))
        mark.gravity = .center
        let operations = "fill/\("red".inBase64)/gravity/Center/fontsize/500.0/font/\("Noto Sans CJK SC".inBase64)"
        #expect(try read("2/\(operations)/text/\("© 小狗".inBase64)") == [mark])
    }

    @Test("a text of size 0 has the default size")
    func textDefaults() throws {
        let mark = Watermark.Mark(.text(Watermark.TextMark("a")))
        #expect(try read("2/text/YQ==") == [mark])
        #expect(try read("2/text/YQ/fontsize/0/fill/\("#fff".inBase64)") == [mark])
        #expect(Watermark.TextMark("a").size == 240)
    }

    @Test(
        "line breaks and control characters are blanks",
        arguments: [
            ("a\nb", "a b"), ("a\r\nb", "a b"), ("a\n\nb", "a  b"), ("a\n\rb", "a  b"), ("a\u{0}b\tc", "a b c"),
            ("a\u{2028}b\u{85}c", "a b c"), ("a\u{7f}", "a "),
        ]
    )
    func line(text: String, shown: String) throws {
        #expect(try read("2/text/\(text.inBase64)") == [Watermark.Mark(.text(Watermark.TextMark(shown)))])
    }

    @Test("a text may be as long as the limit, whatever its letters")
    func longest() throws {
        for letter in ["a", "狗", "🐶", "\u{301}"] {
            let text = String(repeating: letter, count: 1000)
            #expect(try read("2/text/\(text.inBase64)").count == 1)
        }
    }

    @Test("several marks have parameters of their own")
    func several() throws {
        var first = Watermark.Mark(try logo(0.5))
        first.gravity = .northWest
        var second = Watermark.Mark(.text(Watermark.TextMark("a")))
        second.dx = 20
        let third = Watermark.Mark(.text(Watermark.TextMark("b")))
        let operations = "\(image)/ws/0.5/gravity/NorthWest/text/YQ/dx/20/text/Yg/\(image)"
        #expect(try read("3/\(operations)") == [first, second, third, Watermark.Mark(try logo())])
    }

    @Test("one operator has up to 16 marks")
    func most() throws {
        #expect(try read("3" + String(repeating: "/text/YQ", count: 16)).count == 16)
    }

    @Test("tiles are turned and have room between them")
    func tiles() throws {
        let text = Watermark.TextMark("a")
        #expect(try read("4/text/YQ") == [Watermark.Mark(.tiles(text, degrees: 0, gapX: 100, gapY: 100))])
        #expect(
            try read("4/uh/0/uw/1000/text/YQ/rotate/30") == [
                Watermark.Mark(.tiles(text, degrees: 30, gapX: 1000, gapY: 0))
            ]
        )
        #expect(try read("4/text/YQ/rotate/360") == read("4/text/YQ"))
    }

    @Test("what the app calls its own is asked word for word")
    func asked() throws {
        let context = ImageParsingContext(
            limits: ImageLimits(),
            ownKey: { $0 == "kodo://bucket/狗.png" ? FileKey("狗.png") : nil },
            fileSize: 1
        )
        let request = try ImageRequest(chain: "watermark/1/image/\("kodo://bucket/狗.png".inBase64)", context: context)
        let key = try #require(FileKey("狗.png"))
        #expect(request.operators == [.watermark(Watermark([Watermark.Mark(.image(Watermark.ImageMark(key: key)))]))])
    }
}
