import Domain
import Foundation
import Storage
import Support
import Testing

@testable import Server

/// What the list of apps in a configuration file says of images.
@Suite struct AppEntryTests {
    /// Loads a file with one app that has these lines more, beside settings from the command line.
    private func load(_ lines: String, _ flags: [String: String] = [:]) async throws -> AppConfiguration {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.yaml"
            let yaml = """
                apps:
                  - id: a
                    appKey: 12345678
                    masterKey: 123456789

                """ + lines.split(separator: "\n").map { "    \($0)\n" }.joined()
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            return try #require(try ConfigurationLoader(flags: flags, file: path).load().apps.first)
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

    @Test("the origin of a mirror is an address, without its last slash")
    func mirrorOrigin() async throws {
        #expect(try await load("").mirrorOrigin == nil)
        #expect(try await load("mirrorOrigin: https://old.example.com/f/").mirrorOrigin == "https://old.example.com/f")
        for line in ["mirrorOrigin: old.example.com", "mirrorOrigin: [a]", "mirrorOrigin: ftp://a"] {
            let error = await #expect(throws: ExitError.self) { try await load(line) }
            #expect(error?.description.contains("mirrorOrigin") == true)
        }
    }

    @Test("an app has its own choice of redirected downloads, and without one that of the server")
    func downloadRedirects() async throws {
        var configuration = ServerConfiguration()
        configuration.redirects.files = .all
        #expect(configuration.redirects(of: try await load("")).files == .all)
        for (line, files) in [("downloadRedirects: off", RedirectedFiles.off), ("downloadRedirects: public", .public)] {
            // Without a bucket the file is refused, so the entry alone is read.
            let bucket = ["blobs.store": "s3://files"]
            #expect(configuration.redirects(of: try await load(line, bucket)).files == files)
        }
        let error = await #expect(throws: ExitError.self) { try await load("downloadRedirects: some") }
        #expect(error?.description.contains("downloadRedirects must be one of off, public, all") == true)
        let missing = await #expect(throws: ExitError.self) { try await load("downloadRedirects: public") }
        #expect(missing?.description.contains("blobs.store") == true)
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
            ("styles: { a_b: imageInfo }\nstyleSeparator: '_'", "the style 'a_b' contains the styleSeparator '_'"),
            ("styleSeparator: '_'\nstyles: { a_: imageInfo }", "the style 'a_' contains the styleSeparator '_'"),
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
        let error = await #expect(throws: ExitError.self) { try await load(line) }
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("lcfile.yaml:1") == true)
        #expect(error?.description.contains("123456789") == false)
    }

    @Test(
        "a chain that is not understood is refused; app, style and fault are named",
        arguments: [
            ("''", "an operator is missing"), ("imageView3/1", "unknown operator 'imageView3'"),
            ("imageView2/2/w/x", "'w' must be a number"),
            ("'imageInfo|imageInfo'", "'imageInfo' must be the last operator"),
            ("watermark/1/image/~", "'image' must be UTF-8 in Base64 for URLs"),
        ]
    )
    func refusedChain(chain: String, fault: String) async throws {
        let error = await #expect(throws: ExitError.self) { try await load("styles: { card: \(chain) }") }
        let said = error?.description ?? ""
        #expect(error?.exitCode == 78)
        #expect(said.hasPrefix("the style 'card' of app 'a' cannot be used. Bad image request: "), "\(said)")
        #expect(said.contains(fault), "\(said)")
    }

    @Test(
        "chains are held to the limits that are set",
        arguments: [
            ("images.maxOperators", "1", "'imageMogr2/strip|imageslim'"),
            ("images.maxResultSide", "100", "imageView2/2/w/200"),
            ("images.maxTextLength", "3", "watermark/2/text/SGVsbG8="),
        ]
    )
    func limits(setting: String, value: String, chain: String) async throws {
        let line = "styles: { card: \(chain) }"
        #expect(try await load(line).images.styles.count == 1)
        let error = await #expect(throws: ExitError.self) { try await load(line, [setting: value]) }
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains("the style 'card' of app 'a'") == true)
    }

    @Test("limits above the defaults let more pass")
    func widerLimits() async throws {
        let app = try await load("styles: { poster: imageView2/2/w/12000 }", ["images.maxResultSide": "16383"])
        #expect(app.images.styles == ["poster": "imageView2/2/w/12000"])
    }

    @Test(
        "any text may name a mark; whose file that is shows when it is asked for",
        arguments: ["https://files.example.com/logo.png", "kodo://app/logo.png", "logo.png"]
    )
    func marks(text: String) async throws {
        let chain = "watermark/1/image/\(Array(text.utf8).base64URL)"
        #expect(try await load("styles: { logo: \(chain) }").images.styles == ["logo": chain])
    }

    @Test("styles of the app that a storage folder keeps are checked, too")
    func keptApp() async throws {
        try await Samples.withFolder { folder in
            let yaml = """
                apps:
                  - id: a
                    appKey: 12345678
                    masterKey: 123456789
                    styles: { card: nonsense }
                """
            try yaml.write(toFile: "\(folder)/apps.yaml", atomically: true, encoding: .utf8)
            var configuration = ServerConfiguration()
            configuration.storage = folder
            // The default ports can be those of a server on this machine.
            configuration.port = 0
            configuration.metrics.enabled = false
            // A start that gets past the styles ends here.
            configuration.typeTable = "\(folder)/nosuch"
            let server = LCFileServer(configuration: configuration)
            let error = await #expect(throws: ExitError.self) { try await server.run { _ in } }
            #expect(error?.description.contains("the style 'card' of app 'a'") == true, "\(error?.description ?? "")")
        }
    }
}
