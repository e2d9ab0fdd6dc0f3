import Domain
import Testing

@testable import VipsMedia

@Suite struct SourceSnifferTests {
    private static func format(_ bytes: [UInt8]) -> SourceFormat? {
        bytes.withUnsafeBytes { SourceSniffer.format(of: $0) }
    }

    private static func format(_ text: String) -> SourceFormat? { format(Array(text.utf8)) }

    /// An `ftyp` box with a major brand, a version and compatible brands.
    private static func box(_ brands: [String]) -> [UInt8] {
        let text = "ftyp" + (brands.first ?? "") + "\0\0\0\0" + brands.dropFirst().joined()
        return [0, 0, 0, UInt8(text.utf8.count + 4)] + Array(text.utf8)
    }

    private static let signatures: [(SourceFormat, [UInt8])] = [
        (.jpeg, [0xff, 0xd8, 0xff, 0xe0]),
        (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        (.webp, Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8)),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.tiff, Array("II*\0".utf8)),
        (.tiff, Array("MM\0*".utf8)),
        (.tiff, Array("II+\0".utf8)),
        (.tiff, Array("MM\0+".utf8)),
        (.bmp, Array("BM".utf8) + [UInt8](repeating: 7, count: 12) + [40, 0, 0, 0]),
        (.bmp, Array("BM".utf8) + [UInt8](repeating: 7, count: 12) + [12, 0, 0, 0]),
        (.jxl, [0xff, 0x0a]),
        (.jxl, [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0d, 0x0a, 0x87, 0x0a]),
        (.jp2, [0, 0, 0, 12] + Array("jP  ".utf8) + [0x0d, 0x0a, 0x87, 0x0a]),
        (.jp2, [0xff, 0x4f, 0xff, 0x51]),
        (.pdf, Array("%PDF-1.7\n".utf8)),
        (.pdf, [UInt8](repeating: 0x0a, count: 1023) + Array("%PDF-1.7".utf8)),
    ]

    @Test("each format is known by its first bytes", arguments: signatures)
    func signature(format: SourceFormat, bytes: [UInt8]) {
        #expect(Self.format(bytes) == format)
        #expect(Self.format(bytes + [UInt8](repeating: 0xa5, count: 5000)) == format)
    }

    @Test(
        "a HEIF container is what its brands say",
        arguments: [
            (["avif"], .avif), (["avis", "msf1"], .avif), (["heic", "mif1"], .heic), (["heix"], .heic),
            (["hevc"], .heic), (["hevx"], .heic), (["heim"], .heic), (["heis"], .heic), (["mif1", "heic"], .heic),
            (["mif1"], .heic), (["mif1", "miaf", "avif"], .avif), (["msf1", "avis"], .avif),
            (["isom", "avc1"], nil), (["qt  "], nil), (["jpeg", "avif"], nil),
        ] as [([String], SourceFormat?)]
    )
    func brands(brands: [String], format: SourceFormat?) {
        #expect(Self.format(Self.box(brands)) == format)
    }

    @Test(
        "an SVG is XML whose root is svg, whatever may stand before it",
        arguments: [
            "<svg/>", "<svg>", "\u{feff}<svg xmlns='http://www.w3.org/2000/svg'>", "  \r\n\t<svg\nwidth='1'>",
            "<?xml version=\"1.0\"?><svg>", "<?xml version='1.0'?>\n<?xml-stylesheet href='>'?><!-- > <html> --><svg>",
            "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/a>b.dtd\"><svg>",
            "<!DOCTYPE svg [ <!ENTITY a \"]><html>\"> <!-- ' ]> --> <?pi ]>?> ] ><svg>", "<x:svg>", "<ns0:svg />",
            "<!--" + String(repeating: "x", count: 4000) + "--><svg>",
        ]
    )
    func svg(text: String) {
        #expect(Self.format(text) == .svg)
    }

    @Test(
        "nothing else is taken for an image",
        arguments: [
            "", " ", "B", "BM", "BM are two letters, and a text follows", "RIFF1234WAVE", "GIF88a", "II", "%PDF",
            "<!DOCTYPE html><html><svg></svg></html>", "<html><body><svg>", "<svgx>", "<xsvg>", "<svg", "<:svg>",
            "<a:b:svg>",
            "<svg:a>", "< svg>", "text <svg>", "<?xml version='1.0'?>", "<!-- <svg> ", "<!DOCTYPE svg [ <svg>", "<SVG>",
            "\u{1f}\u{8b}<svg>", "{\"svg\":1}", String(repeating: "\n", count: 1024) + "%PDF-1.4",
            "<!--" + String(repeating: "x", count: 4096) + "--><svg>",
        ]
    )
    func noPicture(text: String) {
        #expect(Self.format(text) == nil)
    }

    @Test("a compressed SVG is none that is read")
    func compressed() {
        #expect(Self.format([0x1f, 0x8b, 0x08, 0x00, 0, 0, 0, 0, 0, 3] + Array("<svg>".utf8)) == nil)
    }

    @Test("no bytes stop the sniffer", arguments: 0..<3)
    func hostile(seed: UInt64) {
        let texts = ["<?xml?><!DOCTYPE svg [<!ENTITY a 'b'>]><!--c--><x:svg>", "RIFF1234WEBP", "%PDF-1.4"]
        let samples = Self.signatures.map(\.1) + texts.map { Array($0.utf8) } + [Self.box(["mif1", "miaf", "avif"])]
        for sample in samples {
            for bytes in Damage.mutations(of: sample, count: 30, seed: seed) { _ = Self.format(bytes) }
            for bytes in Damage.truncations(of: sample) { _ = Self.format(bytes) }
        }
    }
}
