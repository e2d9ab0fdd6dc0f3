import Domain
import Support
import Testing

/// Whatever a URL holds is read or refused.
@Suite struct ImageFuzzTests {
    private static let chains = [
        "imageView/2/w/200/h/100/q/100/format/png", "imageView2/1/w/200.0/ignore-error/1/colors/16/interlace/1&v=3",
        "imageMogr2/auto-orient/thumbnail/!50p/gravity/Center/crop/!200x200a10-20/rotate/45/format/png/strip",
        "imageMogr2/thumbnail/400x300%3E/thumbnail/!4x3r/thumbnail/9@/blur/3x0.5/sharpen/1/background/I2ZmZg==",
        "imageMogr2/crop/300x/size-limit/15k!/q/90!|imageslim/zlevel/3%7CimageInfo",
        "watermark/1/image/b3duL2xvZ28ucG5n/ws/0.25/wst/1/dx/-10/dy/5/dissolve/50/gravity/North",
        "watermark/2/text/5bCP54uX/font/U2Fucw/fontsize/500/fill/cmVk|imageView2/0/h/9",
        "watermark/3/text/YQ/image/b3duL2E=/dx/9/text/Yg==|watermark/4/text/YQ/rotate/30/uw/9/uh/9", "imageInfo",
        "exif",
    ]
    private static let pieces = [
        "/", "|", "!", "%", "%25", "%7C", "%00", "%FF", "%C3", "&", "=", "-", "+", ".", "x", "a", "p", "r", "@", "^",
        "<",
        ">", "0", "9", "1e9", "NaN", "inf", "99999999999999999999", "0.0000000001", "-0", "é", "🐶", "\u{301}",
        "\u{212a}",
        "\r\n", "\u{0}", "$(fsize)", "k", "m", "crop", "thumbnail", "w", "text", "YQ", "YQ==", "_w", "watermark/3",
        "9223372036854775807", "-9223372036854775808", "1000000", "1000000x1000000", "360", "rotate/360/",
    ]

    private func expectReadOrRefused(_ query: String) {
        do {
            guard let request = try ImageRequest.read(query) else { return }
            let isWatermark = request.operators.contains { if case .watermark = $0 { true } else { false } }
            if !isWatermark { #expect(try ImageRequest.read(request.canonical) == request) }
        } catch let error as ServiceError {
            #expect(error.code == .badImageRequest)
            #expect(error.message.hasPrefix("Bad image request: ") && error.message.hasSuffix("."))
            #expect(error.message.unicodeScalars.count < 250)
        } catch {
            Issue.record(error)
        }
    }

    /// A chain with a few bytes or words changed, doubled, taken out or taken from another one.
    private func mutated(_ generator: inout SeededGenerator) -> String {
        func pick(_ texts: [String]) -> [UInt8] {
            Array(texts[Int.random(in: 0..<texts.count, using: &generator)].utf8)
        }
        var bytes = pick(Self.chains)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let start = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...8, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes.replaceSubrange(start..<end, with: [])
            case 1: bytes.replaceSubrange(start..<end, with: pick(Self.pieces))
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: start)
            case 4: bytes.insert(contentsOf: pick(Self.pieces), at: start)
            default: bytes.replaceSubrange(start..., with: pick(Self.chains).dropFirst(start))
            }
        }
        // What is no UTF-8 becomes U+FFFD here, as in a server that reads the head of a request.
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("20 000 changed chains are read or refused", arguments: 0..<4 as Range<UInt64>)
    func changed(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5000 { expectReadOrRefused(mutated(&generator)) }
    }

    @Test("long texts of anything are read or refused, in linear time", .timeLimit(.minutes(5)))
    func long() {
        let texts =
            Self.pieces + [
                "/w/1", "imageView2/2/w/1|", "/rotate/360", "/gravity/East", "/text/YQ", "imageMogr2/", "a\u{301}",
                "%0A",
                "/q/1", "imageInfo|", "//", "\u{fe0f}", "\u{327}\u{301}",
            ]
        let heads = [
            "", "imageView2/2/w/", "imageMogr2/thumbnail/", "imageMogr2/crop/!1x", "imageMogr2", "watermark/3",
        ]
        for text in texts {
            let many = String(repeating: text, count: 10_000 / text.utf8.count)
            for head in heads + ["watermark/2/text/", "imageMogr2/background/", "imageMogr2/size-limit/"] {
                expectReadOrRefused(head + many)
            }
        }
        expectReadOrRefused("watermark/2/text/" + String(repeating: "a\u{301}", count: 300_000).inBase64)
        expectReadOrRefused("watermark/1/image/" + String(repeating: "own/", count: 250_000).inBase64)
        expectReadOrRefused("watermark/2/text/YQ/font/" + String(repeating: "\u{301}", count: 500_000).inBase64)
        expectReadOrRefused("imageMogr2/background/" + String(repeating: "#", count: 1_000_000).inBase64)
    }

    @Test("limits that leave no room refuse everything", arguments: [0, -1, Int.min])
    func noRoom(limit: Int) {
        var context = imageParsing
        context.limits = ImageLimits(resultSide: limit, operators: limit, textLength: limit)
        for chain in Self.chains {
            #expect(throws: ServiceError.self) { try ImageRequest(query: chain, context: context) }
        }
        context.limits = ImageLimits(resultSide: limit, textLength: limit)
        for chain in ["imageView2/2/w/1", "watermark/2/text/YQ"] {
            #expect(throws: ServiceError.self) { try ImageRequest(query: chain, context: context) }
        }
    }
}
