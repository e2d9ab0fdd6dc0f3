import Domain
import NIOCore
import Testing

@testable import VipsMedia

extension WorkerTests {
    /// The formats of ``WorkerSample/codedFrames``.
    static let codedFormats: [(ByteBuffer, SourceFormat)] = Array(zip(WorkerSample.codedFrames, [.heic, .avif]))

    private func renderer() throws -> VipsRenderer { try Rendering(worker: launcher()).renderer }

    @Test("the headers of HEIC and AVIF are read", arguments: codedFormats)
    func codedHeader(bytes: ByteBuffer, format: SourceFormat) async throws {
        let header = try await renderer().header(of: .memory(bytes), for: ImageRequester())
        #expect(header.format == format)
        #expect(header.size == ImageSize(width: 16, height: 8))
        #expect(header.colorModel == "rgba")
        #expect(!header.hasOrientation && header.orientation == 1)
    }

    @Test("transparency of an AVIF is seen")
    func codedTransparency() async throws {
        let bytes = try ImageSample.encoded(ImageSample.quarters(hasAlpha: true), as: "format/avif")
        let header = try await renderer().header(of: .memory(bytes), for: ImageRequester())
        #expect(header.hasAlpha)
        #expect(header.colorModel == "nrgba")
    }

    @Test("HEIC and AVIF without EXIF have no fields", arguments: WorkerSample.codedFrames)
    func codedFields(bytes: ByteBuffer) async throws {
        #expect(try await renderer().exif(of: .memory(bytes), for: ImageRequester()).isEmpty)
    }

    @Test("a HEIC or AVIF that is cut off is refused, at every length", arguments: codedFormats)
    func cutOff(bytes: ByteBuffer, format: SourceFormat) async throws {
        for count in stride(from: 40, to: bytes.readableBytes, by: 97) {
            let cut = try #require(bytes.getSlice(at: 0, length: count))
            // Some cuts leave the header whole.
            do {
                _ = try await renderer().header(of: .memory(cut), for: ImageRequester())
            } catch let error as ServiceError {
                #expect([.notAnImage, .imageTooLarge].contains(error.code), "\(count): \(error)")
            }
        }
    }
}

/// The response of a worker to a metadata task.
@Suite struct WorkerMetadataTests {
    private var metadata: WorkerMetadata {
        var metadata = WorkerMetadata()
        metadata.fields = [
            "Make": ExifField(type: 2, value: "Camera \"works\", 照"), "Orientation": ExifField(type: 3, value: ""),
        ]
        metadata.copyright = ["Artist": "A \"©\"", "Copyright": "张\0B"]
        return metadata
    }

    @Test("metadata survives its bytes")
    func bytes() {
        #expect(WorkerMetadata(metadata.bytes) == metadata)
        #expect(WorkerMetadata(WorkerMetadata().bytes) == WorkerMetadata())
    }

    @Test(
        "what no worker returns is none",
        arguments: [
            "", "[]", "{}", #"{"fields":{}}"#, #"{"fields":[],"copyright":{}}"#,
            #"{"fields":{"a":{"type":0,"val":""}},"copyright":{}}"#,
            #"{"fields":{"a":{"type":13,"val":""}},"copyright":{}}"#,
            #"{"fields":{"a":{"type":2}},"copyright":{}}"#, #"{"fields":{},"copyright":{"icc-profile-data":""}}"#,
            #"{"fields":{},"copyright":{"Artist":1}}"#,
        ]
    )
    func malformed(text: String) {
        #expect(WorkerMetadata(Array(text.utf8)) == nil)
    }

    @Test("metadata that is too long counts as none")
    func long() {
        var metadata = metadata
        metadata.fields["MakerNote"] = ExifField(
            type: 7,
            value: String(repeating: "x", count: WorkerMetadata.maxLength)
        )
        #expect(WorkerMetadata(metadata.bytes) == WorkerMetadata())
    }
}
