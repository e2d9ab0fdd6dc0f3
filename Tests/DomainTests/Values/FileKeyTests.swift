import Domain
import Testing

private let hex = "0123456789abcdef"
private let forty = String(repeating: "aB3dE", count: 8)

/// Keys that old SDKs made at random (protocol/files 6).
@Suite struct ClientKeyTests {
    private func key(
        _ text: String,
        for name: String = "photo 1.png",
        keepingName keepsName: Bool = false
    ) throws -> FileKey? {
        FileKey(madeByClient: text, for: try FileName(name, limit: 255), keepingName: keepsName)
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
            forty + "/\u{308}photo 1.png", forty + ".png?a", forty + ".png#a",
        ]
    )
    func tail(text: String) throws {
        let key = try key(text)
        #expect(key == nil)
    }

    @Test(
        "with keep_file_name the name follows the random part, in the place of an extension",
        arguments: [hex + "0123.png", hex + "0123", hex + "0123/photo 1.png", hex + "0123.other"]
    )
    func keptName(text: String) throws {
        let key = try key(text, keepingName: true)
        #expect(key?.description == hex + "0123/photo 1.png")
    }

    @Test(
        "keep_file_name makes no key of a string that is not random",
        arguments: ["robots.txt", hex + "0123/x", ".png"]
    )
    func keptNameOfOthers(text: String) throws {
        let key = try key(text, keepingName: true)
        #expect(key == nil)
    }

    @Test(
        "of an extension that is too long or unsafe, which JavaScript takes from the name, only the random part stays",
        arguments: [
            ("2.二零二四年第一季度工作总结", ".二零二四年第一季度工作总结"), ("foo.", "."), ("foo..", "."), ("foo..", ".."),
            ("v1.2 (final version of the whole document)", ".2 (final version of the whole document)"),
            ("asset.JPG?id=106E99A1&ext=JPG", ".JPG?id=106E99A1&ext=JPG"), ("a.b#c", ".b#c"), ("a.b?", ".b?"),
        ]
    )
    func oddExtension(name: String, tail: String) throws {
        let text = hex + "0123" + tail
        let made = try key(text, for: name)
        let fileName = try FileName(name, limit: 255)
        #expect(made?.description == hex + "0123")
        #expect(made?.isMeant(by: text, for: fileName) == true)
    }

    @Test(
        "a client means a key by the key itself and by its own random key, and by no other string",
        arguments: [
            ("\(hex)0123.txt", "\(hex)0123.txt", true), ("\(hex)0123/a.txt", "\(hex)0123.txt", true),
            ("\(hex)0123/a.txt", "\(hex)0123/a.txt", true), ("\(hex)0123", "\(hex)0123.txt", false),
            ("\(hex)0123.txt", "\(hex)0124.txt", false), ("\(hex)0123.txt", "", false),
            ("e\u{301}.txt", "\u{e9}.txt", false), ("b/a.txt", "a.txt", false), ("robots.txt", "robots.txt", true),
        ] as [(String, String, Bool)]
    )
    func meant(key: String, text: String, isMeant: Bool) throws {
        let name = try FileName("a.txt", limit: 255)
        #expect(FileKey(key)?.isMeant(by: text, for: name) == isMeant)
    }
}

/// Keys that the holder of the master key chose.
@Suite struct ChosenKeyTests {
    @Test(
        "a chosen key is taken as it is",
        arguments: [
            "robots.txt", "a/b/c.png", "照片/1 2.jpg", "1.txt", "1.1.txt", "11/x", "1.10/x", "healthy", "Health/x",
            "%68ealth/x", "a/health/x", "ready.txt", "already/x", "~",
            "v1", "v1/x", "v1/route/x", "v1/ws/x", "v1/Route", "V1/ws",
            "v1/route\u{308}",
            "a+b", "...", ".well-known/x", "a/\u{308}b", "..\u{308}/b", String(repeating: "k", count: 1024),
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
            "console/x.js", "../\u{308}x/y.txt", "a/../\u{308}b", "a//\u{308}b", "/\u{308}a", "1.1/\u{308}x",
            "console/\u{308}x", "v1/route", "v1/ws",
            String(repeating: "k", count: 1025),
            String(repeating: "é", count: 513),
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try FileKey(chosen: text) }
        #expect(error?.code == .badRequest)
    }
}
