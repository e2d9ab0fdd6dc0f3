import Testing

@testable import HTTPAPI

@Suite struct AttachmentNameTests {
    @Test(
        "a download is given its name twice, for old clients in ASCII",
        arguments: [
            ("attname=a.txt", "a.txt", "a.txt"), ("attname=a+b.txt", "a b.txt", "a%20b.txt"),
            ("attname=a%20b.txt", "a b.txt", "a%20b.txt"), ("attname=a%2Bb.txt", "a+b.txt", "a%2Bb.txt"),
            ("attname=%E7%85%A7%E7%89%87.png", "__.png", "%E7%85%A7%E7%89%87.png"),
            ("attname=照片.png", "__.png", "%E7%85%A7%E7%89%87.png"),
            // The examples of RFC 6266 section 5 and RFC 8187 section 3.2.3.
            ("attname=%E2%82%AC%20rates", "_ rates", "%E2%82%AC%20rates"),
            ("attname=%C2%A3%20and%20%E2%82%AC%20rates", "_ and _ rates", "%C2%A3%20and%20%E2%82%AC%20rates"),
            ("attname=a%22b%25c%3Bd'e.txt", "a_b_c_d'e.txt", "a%22b%25c%3Bd%27e.txt"),
            // U+200C and U+200D in words and emoji, and the tag characters of flags.
            ("attname=%D9%85%E2%80%8C%D8%AE", "___", "%D9%85%E2%80%8C%D8%AE"),
            ("attname=%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7", "___", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
            ("attname=%F0%9F%8F%B4%F3%A0%81%A7", "__", "%F0%9F%8F%B4%F3%A0%81%A7"),
            // A slash before a combining mark ends a folder like any other.
            ("attname=a%2F%CC%88b.txt", "_b.txt", "%CC%88b.txt"), ("attname=a%5C%CC%88b.txt", "_b.txt", "%CC%88b.txt"),
            ("attname=..%2F%CC%88..%2F%CC%88b", "_b", "%CC%88b"),
        ]
    )
    func disposition(query: String, plain: String, encoded: String) throws {
        let name = try #require(AttachmentName(query: query))
        #expect(name.disposition == #"attachment; filename="\#(plain)"; filename*=UTF-8''\#(encoded)"#)
    }

    @Test(
        "the parameter follows image operators or stands alone, and the first one counts",
        arguments: [
            "attname=a.png", "imageView2/1/w/100&attname=a.png", "imageMogr2/thumbnail/100x|imageInfo&attname=a.png",
            "attname=a.png&attname=b.png", "x=1&attname=a.png&y=2",
        ]
    )
    func place(query: String) throws {
        let name = try #require(AttachmentName(query: query))
        #expect(name.disposition.contains(#"filename="a.png""#))
    }

    @Test(
        "of a path only the last part is a name",
        arguments: [
            "attname=../../a.png", "attname=%2Fetc%2Fa.png", "attname=c:%5Cb%5Ca.png", "attname=b%5C..%2Fa.png",
            "attname=a.png/",
        ]
    )
    func lastPart(query: String) throws {
        let name = try #require(AttachmentName(query: query))
        #expect(name.disposition == #"attachment; filename="a.png"; filename*=UTF-8''a.png"#)
    }

    @Test(
        "characters that end a header or a line, or change the direction, are left out",
        arguments: [
            "attname=a%0D%0AX:%20y", "attname=a%00X:%20y", "attname=a%C2%85X:%20y", "attname=a%E2%80%AEX:%20y",
            "attname=a%E2%80%A8X:%20y", "attname=a%E2%80%A9X:%20y", "attname=a%D8%9CX:%20y", "attname=a%E2%80%8EX:%20y",
            "attname=a%E2%80%8FX:%20y", "attname=a%E2%80%AAX:%20y", "attname=a%E2%81%A6X:%20y",
            "attname=a%E2%81%A9X:%20y",
        ]
    )
    func invisible(query: String) throws {
        let name = try #require(AttachmentName(query: query))
        #expect(name.disposition == #"attachment; filename="aX: y"; filename*=UTF-8''aX%3A%20y"#)
    }

    @Test(
        "what names nothing is no name",
        arguments: [
            "", "attname", "attname=", "attname=&x", "name=a.png", "xattname=a.png", "attname=/", "attname=%0A",
            "attname=.", "attname=..", "attname=a/..", "attname=%", "attname=%zz", "attname=%FF",
        ]
    )
    func none(query: String) {
        #expect(AttachmentName(query: query) == nil)
    }

    @Test(
        "a name has up to 255 bytes; a longer one is shortened before its extension",
        arguments: [
            (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
            (String(repeating: "a", count: 256), String(repeating: "a", count: 255)),
            (String(repeating: "a", count: 300) + ".jpg", String(repeating: "a", count: 251) + ".jpg"),
            (String(repeating: "%C3%A9", count: 128), String(repeating: "%C3%A9", count: 127)),
            (String(repeating: "%E5%9B%BE", count: 1365) + ".png", String(repeating: "%E5%9B%BE", count: 83) + ".png"),
        ]
    )
    func length(text: String, encoded: String) throws {
        let name = try #require(AttachmentName(query: "attname=" + text))
        #expect(name.disposition.hasSuffix("filename*=UTF-8''\(encoded)"))
    }
}
