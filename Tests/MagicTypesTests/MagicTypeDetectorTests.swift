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
