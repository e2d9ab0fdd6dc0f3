import Domain
import Testing

@Suite struct NameTests {
    @Test(
        "names that could be paths or break a terminal are refused with code invalidFileName",
        arguments: [
            "", ".", "..", "a/b", "../../etc/passwd", "a\\b", "a\u{0}b", "a\nb", "a\u{7f}b", "a\u{2028}b",
            String(repeating: "x", count: 256),
        ]
    )
    func refused(name: String) {
        #expect(throws: ServiceError.self) { try FileName(name, limit: 255) }
    }

    @Test("names of every script are taken as they are", arguments: ["照片 1.jpg", "a..b", ".hidden", "naïve.txt", "x"])
    func taken(name: String) throws {
        #expect(try FileName(name, limit: 255).description == name)
    }

    @Test("the limit counts bytes of UTF-8")
    func limitCountsBytes() throws {
        #expect(throws: ServiceError.self) { try FileName("照片", limit: 5) }
        #expect(try FileName("照片", limit: 6).description == "照片")
    }

    @Test(
        "the extension is what keys end in",
        arguments: [
            ("photo.JPG", "JPG"), ("a.tar.gz", "gz"), ("none", nil), (".hidden", nil), ("dot.", nil),
            ("a.b c", nil), ("a.照", nil), ("a." + String(repeating: "x", count: 17), nil),
        ] as [(String, String?)]
    )
    func pathExtension(name: String, expected: String?) throws {
        #expect(try FileName(name, limit: 255).pathExtension == expected)
    }
}

@Suite struct FileKeyTests {
    @Test("a key is 32 letters and digits and the name's extension")
    func plain() throws {
        let key = try FileKey.make(for: FileName("照片.png", limit: 255), prefix: nil, keepingName: false)
        #expect(key.description.wholeMatch(of: /[0-9A-Za-z]{32}\.png/) != nil)
    }

    @Test("prefix and kept name stand around the random part")
    func prefixAndName() throws {
        let key = try FileKey.make(
            for: FileName("a b.png", limit: 255),
            prefix: KeyPrefix("/saves/1/"),
            keepingName: true
        )
        #expect(key.description.wholeMatch(of: /saves\/1\/[0-9A-Za-z]{32}\/a b\.png/) != nil)
    }

    @Test("keys are equal if their bytes are, as their blobs are")
    func equality() throws {
        let keys = try ["caf\u{e9}.jpg", "cafe\u{301}.jpg"].map { try #require(FileKey($0)) }
        #expect(keys[0] != keys[1] && Set(keys).count == 2 && BlobName(keys[0]) != BlobName(keys[1]))
        #expect(keys[0] == FileKey("caf\u{e9}.jpg"))
    }

    @Test("two keys are never the same")
    func unique() throws {
        let name = try FileName("a", limit: 255)
        let keys = try (0..<1000).map { _ in try FileKey.make(for: name, prefix: nil, keepingName: false) }
        #expect(Set(keys).count == 1000)
    }

    @Test(
        "no key from outside walks a folder",
        arguments: ["", "/a", "a/", "a//b", "a/../b", "..", "./a", "a\u{0}", "../\u{308}a", "/\u{308}a", "a//\u{308}b"]
    )
    func refused(text: String) {
        #expect(FileKey(text) == nil)
    }

    @Test(
        "prefixes that walk folders or hide routes are refused",
        arguments: [
            "..", "a/../b", "a//b", "a\u{1}", "a\\b", "1.1", "1/x", "health", "/health/", "health/x", "ready",
            "ready/x", "../\u{308}x", "a/../\u{308}b", "a//\u{308}b", "a\\\u{308}b", "1.1/\u{308}x", "console/\u{308}x",
        ]
    )
    func prefixRefused(text: String) {
        #expect(throws: ServiceError.self) { try KeyPrefix(text) }
    }

    @Test(
        "prefixes that only look like the server's own paths are taken",
        arguments: ["Health", "%68ealth", "a/health", "11", "Ready", "ready.txt"]
    )
    func prefixTaken(text: String) throws {
        #expect(try KeyPrefix(text)?.description == text)
    }

    @Test("a prefix of slashes is none")
    func emptyPrefix() throws {
        #expect(try KeyPrefix("//") == nil)
    }

    @Test("slashes around a prefix are dropped, also before a combining mark")
    func trimmedPrefix() throws {
        let prefix = try #require(try KeyPrefix("/\u{308}a/"))
        #expect(Array(prefix.description.utf8) == Array("\u{308}a".utf8))
    }
}

@Suite struct PercentCodingTests {
    @Test(
        "keys of any script survive the way through a URL",
        arguments: ["a b/照片.png", "100%.txt", "a+b&c=d?e#f", "~-._"]
    )
    func roundTrip(text: String) {
        #expect(text.percentEncodedPath.percentDecoded == text)
        #expect(text.percentEncodedPath.utf8.allSatisfy { $0.isURLUnreserved || "/%".utf8.contains($0) })
    }

    @Test("broken escapes and bytes that are no UTF-8 give nothing", arguments: ["%", "%2", "%zz", "%ff", "%c3%28"])
    func broken(text: String) {
        #expect(text.percentDecoded == nil)
    }
}

@Suite struct MediaTypeTests {
    @Test(
        "parameters are dropped and case is folded",
        arguments: [
            ("Text/HTML; charset=utf-8", "text/html"), (" image/png ", "image/png"), ("image/svg+xml", "image/svg+xml"),
        ]
    )
    func taken(text: String, expected: String) {
        #expect(MediaType(text)?.description == expected)
    }

    @Test(
        "what could break a header is no type",
        arguments: [
            "", "image", "image/", "/png", "a/b/c", "a b/c", "image/png\r\nX: y", "text/plain\u{0}", "é/x",
            "a/" + String(repeating: "x", count: 200),
        ]
    )
    func refused(text: String) {
        #expect(MediaType(text) == nil)
    }
}

@Suite struct FieldNameTests {
    @Test(
        "letters, digits and marks of any script, and underscores, are names of fields",
        arguments: ["a", "1", "_", "城市", "naïve", "e\u{301}", "имя_2", "नाम", "٣", "한글", "Ⅳ"]
    )
    func taken(name: String) throws {
        #expect(FieldPath.isFieldName(name))
        #expect(try FieldPath("\(name).x").field == name)
    }

    @Test(
        "other characters, marks without a letter and characters that look like others are refused",
        arguments: [
            "", "a b", "a-b", "a'b", "a\"b", "a\\b", "a$b", "a/b", "\u{301}", "_\u{301}", "1\u{301}", "😀", "\u{212A}",
            "a\u{200D}b", "a\u{0}", "\u{FEFF}a", String(repeating: "城", count: 43),
        ]
    )
    func refused(name: String) {
        #expect(!FieldPath.isFieldName(name))
        #expect(throws: ServiceError.self) { try FieldPath.requireFree(name) }
    }

    @Test("paths are equal if their bytes are")
    func pathEquality() throws {
        let paths = try ["o.\u{e9}", "o.e\u{301}", "o.e"].map { try FieldPath($0) }
        #expect(Set(paths).count == 3)
        #expect(try paths[0] == FieldPath("o.\u{e9}"))
        let index = IndexDefinition(fields: [paths[0]])
        #expect(!index.fields.contains(paths[1]))
    }

    @Test("a path inside a field has no operators, also with a combining mark", arguments: ["a.$b", "a.$\u{301}"])
    func operators(path: String) {
        #expect(throws: ServiceError.self) { try FieldPath(path) }
    }
}

@Suite struct CharsetTests {
    @Test(
        "a charset is kept on request, in lower case and without quotes, and other parameters are dropped",
        arguments: [
            ("text/plain; charset=GBK", "text/plain; charset=gbk"),
            ("text/plain;charset=\"utf-8\"", "text/plain; charset=utf-8"),
            ("Text/HTML ; a=b ; Charset = Big5 ;c=d", "text/html; charset=big5"), ("image/png", "image/png"),
            ("text/plain; charset=", "text/plain"), ("text/plain; charset=a b", "text/plain"),
            ("text/plain; charset=\"a", "text/plain"), ("text/plain; charset=a\r\nX:y", "text/plain"),
            ("text/plain; charset=é", "text/plain"),
            ("text/plain; charset=" + String(repeating: "x", count: 41), "text/plain"),
        ]
    )
    func kept(text: String, expected: String) throws {
        let type = try #require(MediaType(text, keepingCharset: true))
        #expect(type.headerValue == expected)
        #expect(MediaType(type.headerValue, keepingCharset: true)?.charset == type.charset)
        let essence = try #require(MediaType(text))
        #expect(essence == type && essence.charset == nil)
    }
}
