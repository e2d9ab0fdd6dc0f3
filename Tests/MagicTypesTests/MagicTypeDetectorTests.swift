import Domain
import NIOCore
import NIOPosix
import Support
import Testing

@testable import MagicTypes

@Suite struct MagicTypeDetectorTests {
    private let detector: MagicTypeDetector

    init() throws {
        detector = try MagicTypeDetector(pool: .singleton)
    }

    @Test(
        "Debian's table knows the extensions of today, in any case",
        arguments: [
            ("jpg", "image/jpeg"), ("PNG", "image/png"), ("webp", "image/webp"), ("heic", "image/heic"),
            ("mp4", "video/mp4"), ("md", "text/markdown"), ("pdf", "application/pdf"), ("svg", "image/svg+xml"),
        ]
    )
    func extensions(pathExtension: String, type: String) {
        #expect(detector.type(ofExtension: pathExtension)?.description == type)
    }

    @Test("unknown extensions have no type")
    func unknownExtension() {
        #expect(detector.type(ofExtension: "nosuchthing") == nil)
    }

    @Test(
        "bytes show what they are",
        arguments: [
            ("<!DOCTYPE html><html><body>x</body></html>", "text/html"), ("%PDF-1.4\n", "application/pdf"),
            ("plain words\n", "text/plain"),
            ("<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml"),
        ]
    )
    func bytes(text: String, type: String) async throws {
        #expect(try await detector.type(of: ByteBuffer(string: text))?.description == type)
    }

    @Test("a photograph is a photograph")
    func photograph() async throws {
        #expect(try await detector.type(of: Samples.rocket()) == .jpeg)
    }

    @Test(
        "binary formats have the same type with and without the tests for text",
        arguments: [
            ("ffd8ffe000104a46494600010100000100010000", "image/jpeg"),
            ("89504e470d0a1a0a0000000d494844520000000100000001080600000000", "image/png"),
            ("47494638396101000100800000", "image/gif"), ("524946462400000057454250565038202400", "image/webp"),
            ("424d460000000000000036000000280000000200000002000000010018000000000010000000", "image/bmp"),
            ("49492a0008000000", "image/tiff"), ("0000001866747970686569630000000068656963", "image/heic"),
            ("0000001866747970617669660000000061766966", "image/avif"),
            ("0000000c6a5020200d0a870a00000014667479706a703220000000006a703220", "image/jp2"),
            ("4d4d002a00000008", "image/tiff"), ("49492b0008000000", "image/tiff"), ("ff0afa7f0190", "image/jxl"),
            ("0000000c4a584c200d0a870a00000014667479706a786c20", "image/jxl"),
            ("ff4fff510029", "image/x-jp2-codestream"),
            ("000001000100101000000100080068050000160000002800000010000000", "image/vnd.microsoft.icon"),
            ("000002000100101000000100080068050000160000002800000010000000", "image/x-win-bitmap"),
            ("4949bc0108000000", "image/jxr"), ("255044462d312e340a", "application/pdf"),
            ("1f8b0800000000000003", "application/gzip"),
            ("0001020304", nil),
        ] as [(String, String?)]
    )
    func binary(digits: String, type: String?) async throws {
        let digits = Array(digits)
        let bytes = stride(from: 0, to: digits.count, by: 2)
            .compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        let head = ByteBuffer(bytes: bytes)
        #expect(try await detector.type(of: head)?.description == type)
        let image = type?.hasPrefix("image/") == true ? type : nil
        #expect(try await detector.imageType(of: head)?.description == image)
    }

    @Test(
        "only images have an image type",
        arguments: [
            ("<!DOCTYPE html><html><body>x</body></html>", nil), ("%PDF-1.4\n", nil), ("plain words\n", nil), ("", nil),
            ("svg words\n", nil), ("{\"svg\": 1}", nil),
            ("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml"),
            ("<?xml version=\"1.0\"?>\n<!-- ssvs -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml"),
        ] as [(String, String?)]
    )
    func imageTypes(text: String, type: String?) async throws {
        #expect(try await detector.imageType(of: ByteBuffer(string: text))?.description == type)
    }

    @Test(
        "an image in a format that browsers do not show and this server does not render has no image type",
        arguments: [
            ("gimp xcf file\0\0\0\0\u{1}\0\0\0\u{1}\0\0\0\0", "image/x-xcf"),
            ("P6 1 1 255 abc", "image/x-portable-pixmap"),
            ("AC1015\0\0\0\0", "image/vnd.dwg"),
        ]
    )
    func otherImages(text: String, type: String) async throws {
        let head = ByteBuffer(string: text)
        #expect(try await detector.type(of: head)?.description == type)
        #expect(try await detector.imageType(of: head) == nil)
    }

    @Test(
        "the letters svg are found in encodings of one, two and four bytes",
        arguments: [
            ("svg", true), ("<ssvg", true), ("svsvg>", true), ("s\0v\0g\0", true), ("\0s\0\0\0v\0\0\0g", true),
            ("", false), ("s", false), ("sv", false), ("s\0v\0", false), ("sxvg", false), ("SVG", false),
            (String(repeating: "s", count: 1000) + "vg", true), (String(repeating: "sv", count: 1000), false),
        ] as [(String, Bool)]
    )
    func lettersOfSVG(text: String, areFound: Bool) {
        #expect(ByteBuffer(string: text).namesSVG == areFound)
        var part = ByteBuffer(string: "svg" + text + "svg")
        part.moveReaderIndex(forwardBy: 3)
        part.moveWriterIndex(to: part.writerIndex - 3)
        #expect(part.namesSVG == areFound)
    }

    @Test("an SVG in UTF-16 has the image type that it has among all types")
    func wideSVG() async throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>"
        let bytes: [UInt8] = [0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let head = ByteBuffer(bytes: bytes)
        let type = try await detector.type(of: head)
        #expect(try await detector.imageType(of: head) == (type?.topLevel == "image" ? type : nil))
    }

    @Test("no bytes and meaningless bytes have no type", arguments: [[], [0, 1, 2, 3, 4, 5, 6, 7]] as [[UInt8]])
    func nothing(bytes: [UInt8]) async throws {
        #expect(try await detector.type(of: ByteBuffer(bytes: bytes)) == nil)
    }

    @Test("a hundred questions at once get the right answers")
    func parallel() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let text = index % 2 == 0 ? "%PDF-1.4\n" : "plain words\n"
                    let type = try await detector.type(of: ByteBuffer(string: text))
                    return type?.description == (index % 2 == 0 ? "application/pdf" : "text/plain")
                }
            }
            for try await right in group { #expect(right) }
        }
    }

    @Test("a table that is not there is an error at start")
    func missingTable() {
        #expect(throws: (any Error).self) { try MagicTypeDetector(table: "/nonexistent/mime.types", pool: .singleton) }
    }

    @Test("comments and types without extensions are passed over, the first line wins")
    func table() {
        let table = ExtensionTable(
            parsing: "# a comment\nimage/x-one one ONE # more\n\nimage/bare\nimage/x-two one two\nbroken x\n"
        )
        #expect(table.type(ofExtension: "one")?.description == "image/x-one")
        #expect(table.type(ofExtension: "TWO")?.description == "image/x-two")
        #expect(table.type(ofExtension: "x") == nil)
    }
}
