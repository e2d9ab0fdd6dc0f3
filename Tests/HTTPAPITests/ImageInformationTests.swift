import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// JSON about an image (docs/image-options.md, section 7).
@Suite struct ImageInformationTests {
    private func ask(_ query: String, _ renderer: FixedRenderer = FixedRenderer()) async throws -> TestResponse {
        var server = TestServer()
        server.renderer = renderer
        return try await server.test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            return try await client.send("GET", "/\(key)?\(query)", nil, [.origin: "https://a.example"])
        }
    }

    @Test(
        "information about images is JSON that is not cached",
        arguments: [
            ("imageInfo", #"{"colorModel":"ycbcr","format":"jpeg","height":480,"size":5,"width":640}"#),
            ("imageAve", #"{"RGB":"0x85694d"}"#),
            ("stat", #"{"fsize":5,"hash":"Fqr0xh3cxeii2r7eDztILNmuqUNN","mimeType":"image/jpeg"}"#),
            (
                "imageView2/2/w/10%7CimageInfo",
                #"{"colorModel":"ycbcr","format":"jpeg","height":480,"size":9,"width":640}"#
            ),
        ]
    )
    func answers(query: String, expected: String) async throws {
        let response = try await ask(query)
        #expect(response.status == .ok)
        #expect(try response.json() == JSONValue(parsing: Array(expected.utf8), field: "expected").objectValue)
        #expect(response.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(response.headers[.cacheControl]?.contains("no-store") == true)
        #expect(response.headers[.accessControlAllowOrigin] == "*")
        #expect(response.headers[.eTag] == nil)
    }

    @Test("frames are told of what moves and of GIFs, an orientation where EXIF says one")
    func details() async throws {
        var renderer = FixedRenderer()
        renderer.header = ImageHeader(
            format: .gif,
            size: ImageSize(width: 2, height: 1),
            frames: 1,
            orientation: 6,
            hasOrientation: true,
            colorModel: "palette16"
        )
        let body = try await ask("imageInfo", renderer).json()
        #expect(body["frameNumber"] == .integer(1))
        #expect(body["orientation"] == .string("Right-top"))
        #expect(body["colorModel"] == .string("palette16"))
    }

    @Test("EXIF's fields have their type and value")
    func exif() async throws {
        var renderer = FixedRenderer()
        renderer.fields = ["Orientation": ExifField(type: 3, value: "Top-left")]
        let response = try await ask("exif", renderer)
        #expect(response.text == #"{"Orientation":{"type":3,"val":"Top-left"}}"#)
        #expect(response.headers[.cacheControl]?.contains("no-store") == true)
    }

    @Test("no EXIF is 400 with a word of its own")
    func noExif() async throws {
        let response = try await ask("exif")
        #expect(response.status == .badRequest)
        #expect(response.text == #"{"error":"no exif data"}"#)
        #expect(response.headers[.cacheControl]?.contains("no-store") == true)
    }

    @Test("stat tells of any file, also of what is no image")
    func stat() async throws {
        let renderer = FixedRenderer(failure: ServiceError(.notAnImage, "No image."))
        #expect(try await ask("stat", renderer).status == .ok)
    }
}
