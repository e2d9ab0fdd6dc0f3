import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// What EXIF says, and what of it is left in derivatives.
@Suite struct ExifTests {
    private func photograph() throws -> ByteBuffer {
        TagSample.jpeg(
            try ImageSample.encoded(as: "format/jpeg"),
            exif: [
                .text(0x010f, "Camera (works)"), .short(0x0112, [6]), .text(0x0132, "2024:05:02 10:00:00"),
                .text(0x013b, "Somebody"), .text(0x8298, "All of it, mine"),
            ]
        )
    }

    @Test(
        "libvips' text for a field is taken apart",
        arguments: [
            ("6 (Right-top, Short, 1 components, 2 bytes)", 3, "Right-top"),
            ("2024:05:02 10:00:00 (2024:05:02 10:00:00, ASCII, 20 components, 20 bytes)", 2, "2024:05:02 10:00:00"),
            ("a, b (a, b, ASCII, 5 components, 5 bytes)", 2, "a, b"),
            ("a (b) (a (b), ASCII, 6 components, 6 bytes)", 2, "a (b)"),
            ("72/1 (72, Rational, 1 components, 8 bytes)", 5, "72"),
            (" (, ASCII, 1 components, 1 bytes)", 2, ""),
        ]
    )
    func field(text: String, type: Int, value: String) {
        #expect(ExifReader.field(text) == ExifField(type: type, value: value))
    }

    @Test(
        "what has another form is no field",
        arguments: [
            "", ")", "a", "a (b)", "(, , )", "1 (x, Nothing, 1 components, 2 bytes)", "1 (, Short, 1",
            "a (a, Ascii, -9223372036854775808 components, 2 bytes)",
        ]
    )
    func noField(text: String) {
        #expect(ExifReader.field(text) == nil)
    }

    @Test("the fields of a photograph are read")
    func fields() async throws {
        let fields = try await Rendering().renderer.exif(of: .memory(photograph()), for: ImageRequester())
        #expect(fields["Orientation"] == ExifField(type: 3, value: "Right-top"))
        #expect(fields["DateTime"] == ExifField(type: 2, value: "2024:05:02 10:00:00"))
        #expect(fields["Make"] == ExifField(type: 2, value: "Camera (works)"))
        #expect(fields["Artist"] == ExifField(type: 2, value: "Somebody"))
    }

    /// Texts that libvips cuts off, within a character or not, or that are not UTF-8, and what they say.
    static let texts: [([UInt8], String)] = [
        (Array("© 2024 张三 \u{1f4f7}".utf8), "© 2024 张三 \u{1f4f7}"),
        (Array("© 2020 Gr".utf8) + [0xfc, 0x6e], "Â© 2020 Grün"),
        ([0xa9, 0x20, 0x47, 0x72, 0xfc, 0x6e], "© Grün"),
        (Array(repeating: 0x78, count: 108), String(repeating: "x", count: 108)),
        (Array(repeating: 0x78, count: 8000), String(repeating: "x", count: 8000)),
        (Array(String(repeating: "张", count: 34).utf8), String(repeating: "张", count: 34)),
        (Array("a\(String(repeating: "张", count: 60))".utf8), "a\(String(repeating: "张", count: 60))"),
        (Array(String(repeating: "张", count: 300).utf8), String(repeating: "张", count: 300)),
    ]

    private func jpeg(_ entries: TagSample.Entry...) throws -> ByteBuffer {
        TagSample.jpeg(try ImageSample.encoded(as: "format/jpeg"), exif: entries)
    }

    @Test("long texts and those of other characters than ASCII are read", arguments: texts)
    func otherTexts(bytes: [UInt8], text: String) async throws {
        let image = try jpeg(.bytes(0x010e, bytes + [0]), .bytes(0x013b, bytes + [0]), .bytes(0x8298, bytes + [0]))
        let fields = try await Rendering().renderer.exif(of: .memory(image), for: ImageRequester())
        #expect(fields["ImageDescription"] == ExifField(type: 2, value: text))
        #expect(fields["Artist"] == ExifField(type: 2, value: text))
        #expect(fields["Copyright"] == ExifField(type: 2, value: "\(text) (Photographer) - [None] (Editor)"))
    }

    @Test("photographer and editor are told apart in a long text")
    func editor() async throws {
        let photographer = String(repeating: "p", count: 200)
        let image = try jpeg(.bytes(0x8298, Array("\(photographer)\0Éditeur\0".utf8)))
        let fields = try await Rendering().renderer.exif(of: .memory(image), for: ImageRequester())
        #expect(fields["Copyright"]?.value == "\(photographer) (Photographer) - Éditeur (Editor)")
    }

    @Test("a text of more than 8192 bytes is no field", arguments: [(8192, true), (8193, false)])
    func longestText(count: Int, isRead: Bool) async throws {
        let image = try jpeg(
            .text(0x010f, "Camera"),
            .bytes(0x013b, [UInt8](repeating: 0x78, count: count) + [0])
        )
        let fields = try await Rendering().renderer.exif(of: .memory(image), for: ImageRequester())
        #expect((fields["Artist"] != nil) == isRead)
        #expect(fields["Make"]?.value == "Camera")
    }

    @Test("images without EXIF have no fields", arguments: ["jpeg", "png", "gif"])
    func noFields(word: String) async throws {
        let bytes = try ImageSample.encoded(as: "format/\(word)")
        #expect(try await Rendering().renderer.exif(of: .memory(bytes), for: ImageRequester()).isEmpty)
    }

    @Test("derivatives carry neither EXIF nor profiles", arguments: ImageFormat.allCases)
    func stripped(format: ImageFormat) async throws {
        let chain = "imageMogr2/auto-orient/thumbnail/20x/format/\(format.rawValue)"
        for source in try [photograph(), Samples.rocket()] {
            let image = try await Rendering().render(chain, source)
            let names = try Pixels(image.bytes).fieldNames
            // To a WebP, libvips 8.14 always writes a block of its own, with nothing of the source.
            let tags = ["XResolution", "YResolution", "ResolutionUnit", "Orientation", "YCbCrPositioning"]
            let own = ["exif-data"] + tags.map { "exif-ifd0-\($0)" }
            let left = names.filter { name in
                guard name.hasPrefix("exif-") else { return false }
                return format != .webp || !own.contains(name) && !name.hasPrefix("exif-ifd2-")
            }
            #expect(left.isEmpty)
            #expect(!names.contains("icc-profile-data") && !names.contains("xmp-data"))
            for word in ["Camera", "Somebody", "mine", "ICC_PROFILE", "2024:05:02"] {
                #expect(image.bytes.readableBytesView.firstRange(of: Array(word.utf8)) == nil)
            }
        }
    }

    @Test("an orientation that stays brings nothing else with it", arguments: ["jpg", "webp"])
    func orientationAlone(word: String) async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/20x/format/\(word)", photograph())
        #expect(try await Rendering().open(image.bytes).header.orientation == 6)
        for word in ["Camera", "Somebody", "mine", "2024:05:02"] {
            #expect(image.bytes.readableBytesView.firstRange(of: Array(word.utf8)) == nil)
        }
    }

    @Test("whose work it is stays if that is wanted, and nothing else does", arguments: ["jpg", "webp"])
    func copyright(word: String) async throws {
        let chain = "imageMogr2/auto-orient/thumbnail/20x/format/\(word)"
        let image = try await Rendering().render(chain, photograph()) { $0.output.keepsCopyright = true }
        let fields = try await Rendering().renderer.exif(of: .memory(image.bytes), for: ImageRequester())
        #expect(fields["Copyright"]?.value.hasPrefix("All of it, mine") == true, "\(fields)")
        #expect(fields["Artist"]?.value == "Somebody")
        #expect(fields["Make"] == nil)
        #expect(fields["DateTime"] == nil)
        #expect(try await Rendering().open(image.bytes).header.orientation == 1)
    }

    @Test("a copyright of any length and characters stays", arguments: ["jpg", "png", "webp"], texts)
    func otherCopyright(word: String, sample: (bytes: [UInt8], text: String)) async throws {
        let source = try jpeg(.bytes(0x013b, sample.bytes + [0]), .bytes(0x8298, sample.bytes + [0]))
        // From the decoder's image, and from the source that a decoder of our own has read.
        for chain in ["imageMogr2/rotate/90/format/\(word)", "imageMogr2/thumbnail/20x/format/\(word)"] {
            let image = try await Rendering().render(chain, source) { $0.output.keepsCopyright = true }
            let fields = try await Rendering().renderer.exif(of: .memory(image.bytes), for: ImageRequester())
            // Spaces around it can be added.
            let words = sample.text.split(separator: " ")
            #expect(fields["Artist"]?.value.split(separator: " ") == words)
            #expect(fields["Copyright"]?.value.split(separator: " ").starts(with: words) == true)
        }
    }
}
