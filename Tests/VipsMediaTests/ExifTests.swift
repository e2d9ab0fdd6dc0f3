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
        #expect(ExifReader.field(text)?.field == ExifField(type: type, value: value))
    }

    @Test(
        "what has another form is no field",
        arguments: [
            "", ")", "a", "a (b)", "(, , )", "1 (x, Nothing, 1 components, 2 bytes)", "1 (, Short, 1",
            "a (a, Ascii, -9223372036854775808 components, 2 bytes)",
        ]
    )
    func noField(text: String) {
        #expect(ExifReader.field(text)?.field == nil)
    }

    @Test("the fields of a photograph are read")
    func fields() async throws {
        let fields = try await Rendering().renderer.exif(of: .memory(photograph()), for: ImageRequester())
        #expect(fields["Orientation"] == ExifField(type: 3, value: "Right-top"))
        #expect(fields["DateTime"] == ExifField(type: 2, value: "2024:05:02 10:00:00"))
        #expect(fields["Make"] == ExifField(type: 2, value: "Camera (works)"))
        #expect(fields["Artist"] == ExifField(type: 2, value: "Somebody"))
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
}
