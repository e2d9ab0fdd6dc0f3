import Domain
import Testing

private let hex = "0123456789abcdef"
private let forty = String(repeating: "aB3dE", count: 8)

/// Keys that old SDKs made at random (protocol/files 6).
@Suite struct ClientKeyTests {
    private func key(_ text: String, for name: String = "photo 1.png") throws -> FileKey? {
        FileKey(madeByClient: text, for: try FileName(name, limit: 255))
    }

    @Test(
        "random keys of each old SDK are taken as they are",
        arguments: [
            hex, hex + "0123", hex + "0123.png", hex + "0123/photo 1.png", hex + hex + ".png",
            "0123456789ABCDEF0123456789ABCDEF.jpeg", forty, forty + ".png", forty + "/photo 1.png", forty + ".tar.gz",
        ]
    )
    func taken(text: String) throws {
        let key = try key(text)
        #expect(key?.description == text)
    }

    @Test(
        "a key that can be guessed is refused",
        arguments: [
            "", "robots.txt", "photo 1.png", "/photo 1.png", ".png", "0123456789abcde", hex + "0", "0123456789abcdeg",
            String(repeating: "x", count: 32), String(repeating: "x", count: 39), String(repeating: "x", count: 41),
            String(repeating: "x", count: 39) + "-", "index.html",
        ]
    )
    func guessable(text: String) throws {
        let key = try key(text)
        #expect(key == nil)
    }

    @Test(
        "nothing but an extension or the name itself stands behind the random part",
        arguments: [
            forty + "/", forty + "/other.png", forty + "/photo 1.png/x", forty + "/..", forty + "/../x", forty + ".",
            forty + "..", forty + ".a/b", forty + ".png/photo 1.png", forty + " x", forty + ".a\u{0}",
            forty + "." + String(repeating: "x", count: 33), "a/" + forty, "a/" + forty + ".png",
        ]
    )
    func tail(text: String) throws {
        let key = try key(text)
        #expect(key == nil)
    }
}

/// Keys that the holder of the master key chose.
@Suite struct ChosenKeyTests {
    @Test(
        "a chosen key is taken as it is",
        arguments: [
            "robots.txt", "a/b/c.png", "照片/1 2.jpg", "1.txt", "1.1.txt", "11/x", "1.10/x", "healthy", "Health/x",
            "%68ealth/x", "a/health/x", "ready.txt", "already/x", "~",
            "a+b", "...", ".well-known/x", String(repeating: "k", count: 1024),
        ]
    )
    func taken(text: String) throws {
        #expect(try FileKey(chosen: text).description == text)
    }

    @Test(
        "a key under which no file could be found, or that is no path, is refused",
        arguments: [
            "", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\u{0}", "a\nb", "a\u{7f}",
            "a\u{2028}b", "1", "1.1", "1/a", "1.1/files/a", "health", "health/x", "ready", "ready/x", "console",
            "console/x.js",
            String(repeating: "k", count: 1025),
            String(repeating: "é", count: 513),
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try FileKey(chosen: text) }
        #expect(error?.code == .badRequest)
    }
}
