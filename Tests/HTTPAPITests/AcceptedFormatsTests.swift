import Domain
import Testing

@testable import HTTPAPI

@Suite struct AcceptedFormatsTests {
    @Test(
        "formats count that are named, in the order of the app's list",
        arguments: [
            (nil, ""), ("", ""), ("*/*", ""), ("image/*", ""), ("image/webp", "webp"),
            ("image/avif,image/webp", "avif webp"),
            ("image/webp,image/avif", "avif webp"), ("text/html, image/webp;q=0.8, */*;q=0.1", "webp"),
            ("IMAGE/WebP", "webp"), ("image/webp;Q=0.5", "webp"), ("\timage/avif ; q = 0.5 ,image/webp", "avif webp"),
            ("image/webp;q=0", ""), ("image/webp;q=0.000", ""), ("image/webp;q=", ""), ("image/webp;q=x", ""),
            ("image/webp;level=1;q=0, image/avif", "avif"), ("image/webp;level=1", "webp"), (",,;,image/avif,", "avif"),
            ("image/webpx, ximage/webp, image/webp/x", ""), ("image", ""), ("image/jpeg", ""),
            (String(repeating: "image/webp,", count: 10_000), "webp"),
        ] as [(String?, String)]
    )
    func named(header: String?, expected: String) {
        let formats = AcceptedFormats(header).among([.avif, .webp])
        #expect(formats.map(\.rawValue).joined(separator: " ") == expected)
    }
}
