import Domain
import Foundation
import Support
import Testing

@testable import Server

/// What the list of apps in a configuration file says of images.
@Suite struct AppEntryTests {
    /// Loads a file with one app that has these lines more.
    private func load(_ lines: String) async throws -> AppConfiguration {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.yaml"
            let yaml = """
                apps:
                  - id: a
                    appKey: 12345678
                    masterKey: 123456789

                """ + lines.split(separator: "\n").map { "    \($0)\n" }.joined()
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            return try #require(try ConfigurationLoader(file: path).load().apps.first)
        }
    }

    @Test("an app that says nothing of images has Qiniu's grammar alone")
    func nothing() async throws {
        let app = try await load("")
        #expect(app.images.styles.isEmpty)
        #expect(app.images.separator == "-")
        #expect(app.images.automatic.isEmpty)
        #expect(app.fileDomains.isEmpty)
    }

    @Test(
        "empty words are none",
        arguments: ["styles:", "styles: {}", "styleSeparator:", "autoFormats:", "autoFormats: []"]
    )
    func empty(line: String) async throws {
        let app = try await load(line)
        #expect(app.images.styles.isEmpty && app.images.separator == "-" && app.images.automatic.isEmpty)
    }

    @Test("styles have names and chains")
    func styles() async throws {
        let app = try await load(
            """
            styles:
              small: imageView2/2/w/200
              Card_2: imageMogr2/auto-orient/thumbnail/!640x360r|watermark/1/image/bG9nby5wbmc
              info: imageInfo
            """
        )
        #expect(
            app.images.styles == [
                "small": "imageView2/2/w/200",
                "Card_2": "imageMogr2/auto-orient/thumbnail/!640x360r|watermark/1/image/bG9nby5wbmc",
                "info": "imageInfo",
            ]
        )
        #expect(app.images.style(of: "a-b.jpg-small")?.key == "a-b.jpg")
    }

    @Test("a separator is one of eight signs", arguments: ["-", "_", "!", "@", "~", ",", ".", ";"])
    func separator(sign: String) async throws {
        #expect(try await load("styleSeparator: '\(sign)'").images.separator == Character(sign))
    }

    @Test("formats are in the order written, in any case")
    func formats() async throws {
        #expect(try await load("autoFormats: [avif, WebP, jpg]").images.automatic == [.avif, .webp, .jpeg])
    }

    @Test(
        "what is wrong is refused, and named",
        arguments: [
            ("autoFormats: webp", "autoFormats must be a list of formats"),
            ("autoFormats: [[webp]]", "autoFormats must be a list of formats"),
            ("autoFormats: [webp, heic]", "autoFormats has 'heic'; allowed: jpg, png, webp, gif, avif"),
            ("styles: small", "styles must be names and chains"),
            ("styles: [small]", "styles must be names and chains"),
            ("styles: { a-b: imageInfo }", "the style 'a-b' must have a name of 1 to 64 letters, digits or '_'"),
            ("styles: { 照片: imageInfo }", "the style '照片' must have a name"),
            ("styles: { '': imageInfo }", "the style '' must have a name"),
            ("styles: { \(String(repeating: "a", count: 65)): imageInfo }", "must have a name of 1 to 64"),
            ("styles: { a: [imageInfo] }", "the style 'a' must have a chain"),
            ("styles: { a: '' }", "the style 'a' is not understood"),
            ("styles: { a: imageView3/1 }", "the style 'a' is not understood. Bad image request: unknown operator"),
            ("styles: { a: imageView2/2/w/x }", "the style 'a' is not understood. Bad image request: "),
            ("styles: { a: 'imageInfo|imageInfo' }", "'imageInfo' must be the last operator"),
            ("styleSeparator: '--'", "styleSeparator must be one of - _ ! @ ~ , . ;"),
            ("styleSeparator: '/'", "styleSeparator must be one of"),
            ("styleSeparator: a", "styleSeparator must be one of"),
            ("styleSeparator: ''", "styleSeparator must be one of"),
            ("styleSeparator: é", "styleSeparator must be one of"),
            ("styleSeparator: [-]", "styleSeparator must be one of"), ("style: {}", "unknown name 'style' in apps"),
            ("fileDomains: https://a", "fileDomains must be a list of addresses"),
        ]
    )
    func refused(line: String, sentence: String) async throws {
        let error = await #expect(throws: StartError.self) { try await load(line) }
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("lcfile.yaml:1") == true)
        #expect(error?.description.contains("123456789") == false)
    }
}
