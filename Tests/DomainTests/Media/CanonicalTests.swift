import Domain
import Testing

/// The one way to write a request, by which derivatives are kept.
@Suite struct CanonicalTests {
    @Test(
        "different spellings are one request",
        arguments: [
            [
                "imageView/2/w/200/h/100", "imageView/2/h/100.0/w/199.5/", "imageView%2F2/w/200/h/100",
                "imageView/2/w/200/h/100/ignore-error/0&v=3",
            ],
            ["imageView2/1/w/80", "imageView2/1/h/80", "imageView2/1/h/80/w/80/interlace/0"],
            ["imageView2/2/w/8/format/jpg", "imageView2/2/format/JPEG/h/0/w/8"],
            ["imageMogr2", "imageMogr2/", "imageMogr2/rotate/360/sharpen/0", "imageMogr2/gravity/East"],
            ["imageMogr2/thumbnail/!50p", "imageMogr2/thumbnail/50%25", "imageMogr2/thumbnail/!50.0px50p"],
            ["imageMogr2/thumbnail/!9x8r", "imageMogr2/thumbnail/9x8%5E", "imageMogr2/thumbnail/!9x8%5E"],
            ["imageMogr2/crop/!9x8a0a0", "imageMogr2/crop/9x8", "imageMogr2/gravity/NorthWest/crop/9x8-0%2B0"],
            ["imageMogr2/quality/75/strip", "imageMogr2/strip/q/75"],
            ["imageMogr2/colors/1", "imageMogr2/colors/2"],
            ["imageMogr2/size-limit/1k", "imageMogr2/size-limit/1024", "imageMogr2/size-limit/1024.2"],
            ["imageMogr2/background/I2YwMA==", "imageMogr2/background/cmVk", "imageMogr2/background/I0ZGMDAwMA"],
            ["imageslim", "imageslim/zlevel/3"],
            ["imageslim|imageInfo", "imageslim%7CimageInfo/"],
            ["watermark/2/text/YQ", "watermark/2/text/YQ==/dx/10/fontsize/0", "watermark/3/text/YQ"],
            ["watermark/4/text/YQ", "watermark/4/rotate/360/uw/100/text/YQ"],
        ]
    )
    func spellings(queries: [String]) throws {
        let requests = try queries.map { try ImageRequest.read($0) }
        #expect(Set(requests).count == 1)
        #expect(Set(requests.compactMap { $0?.canonical }).count == 1)
    }

    @Test("requests that differ in anything have different texts")
    func differences() throws {
        let queries = [
            "imageView/2/w/8", "imageView2/2/w/8", "imageView2/2/h/8", "imageView2/0/w/8", "imageView2/1/w/8",
            "imageView2/2/w/8/q/75", "imageView2/2/w/8/q/75!", "imageView2/2/w/8/format/png",
            "imageView2/2/w/8/interlace/1", "imageView2/2/w/8/colors/8", "imageView2/2/w/8/ignore-error/1",
            "imageMogr2", "imageMogr2/strip", "imageMogr2/auto-orient", "imageMogr2/sharpen/1", "imageMogr2/rotate/1",
            "imageMogr2/blur/1x1", "imageMogr2/blur/1x1.0001", "imageMogr2/thumbnail/8x", "imageMogr2/thumbnail/x8",
            "imageMogr2/thumbnail/8x8", "imageMogr2/thumbnail/8x8!", "imageMogr2/thumbnail/8x8>",
            "imageMogr2/thumbnail/8x8<", "imageMogr2/thumbnail/8x8^", "imageMogr2/thumbnail/8@",
            "imageMogr2/thumbnail/!8p", "imageMogr2/thumbnail/!8px", "imageMogr2/crop/8x", "imageMogr2/crop/8x8",
            "imageMogr2/crop/!8xa1a0", "imageMogr2/crop/!8x-1a0", "imageMogr2/gravity/East/crop/8x",
            "imageMogr2/thumbnail/8x/crop/8x", "imageMogr2/crop/8x/thumbnail/8x", "imageMogr2/background/cmVk",
            "imageMogr2/size-limit/8", "imageMogr2/size-limit/8!", "imageslim", "imageslim/zlevel/0", "imageInfo",
            "exif", "imageAve", "stat", "imageslim|imageslim", "watermark/2/text/YQ", "watermark/4/text/YQ",
            "watermark/2/text/Yg", "watermark/2/text/YQ/font/YQ", "watermark/2/text/YQ/fill/cmVk",
            "watermark/2/text/YQ/dx/1", "watermark/2/text/YQ/dy/1", "watermark/2/text/YQ/gravity/East",
            "watermark/2/text/YQ/dissolve/1", "watermark/2/text/YQ/fontsize/1", "watermark/3/text/YQ/text/YQ",
            "watermark/1/image/b3duL2E", "watermark/1/image/b3duL2I", "watermark/1/image/b3duL2E/ws/1",
            "watermark/1/image/b3duL2E/ws/1/wst/1", "watermark/4/text/YQ/rotate/1", "watermark/4/text/YQ/uw/1",
            "watermark/4/text/YQ/uh/1",
        ]
        let texts = try queries.compactMap { try ImageRequest.read($0)?.canonical }
        #expect(Set(texts).count == queries.count)
    }

    @Test(
        "the text reads as the same request",
        arguments: [
            "imageView/1/w/200/h/100/q/85!/format/webp/interlace/1/colors/3/ignore-error/1", "imageView2/5/w/9",
            "imageMogr2/auto-orient/thumbnail/!33.33333px0.00001p/gravity/South/crop/!x9-1a2/rotate/7/blur/2x0.0001",
            "imageMogr2/thumbnail/9x>/thumbnail/x9</thumbnail/9x9^/thumbnail/9x9!/thumbnail/9@/sharpen/1/strip",
            "imageMogr2/background/cmVk/size-limit/$(fsize)!/q/9!/format/avif/ignore-error/1|imageslim/zlevel/10",
            "imageMogr2/crop/9x9/gravity/Center/crop/!8x8-1-1|imageInfo", "exif", "imageAve", "stat",
        ]
    )
    func roundTrip(query: String) throws {
        let request = try #require(try ImageRequest.read(query))
        let again = try #require(try ImageRequest.read(request.canonical))
        #expect(again == request)
        #expect(again.canonical == request.canonical)
        #expect(try ImageRequest(chain: request.canonical, context: imageParsing) == request)
    }
}
