import Domain
import Testing

@Suite struct RemoteURLTests {
    @Test(
        "http and https in any case are kept as they are written",
        arguments: [
            "http://elsewhere.example.org", "https://elsewhere.example.org/", "HTTP://ELSEWHERE.example.org/A",
            "hTTpS://elsewhere.example.org:8443/a%20b.png?x=1&y=%2F#part", "http://a?x", "http://a#x", "http://a:/",
            "https://elsewhere.example.org/?to=http://a/@b", "https://elsewhere.example.org/@a", "http://a_b-c.d/",
            "http://203.0.113.9/a", "http://[2001:db8::1]:8080/a", "http://[::1]", "http://[fe80::1%25eth0]/",
            "https://elsewhere.example.org/照片.jpg?名=值", "https://照片.example.org/a", "http://127.0.0.1/%zz",
            "http://a/\"<>^`{|}", "http://a:65535/", "http://a:00080/", "http://a/b c.png?d e#f g", "http://a/\u{a0}b",
            "http://a/\u{3000}b",
        ]
    )
    func taken(text: String) throws {
        #expect(try RemoteURL(text).description == text)
    }

    @Test("spaces at both ends are dropped", arguments: [" http://a/b", "http://a/b  ", "  http://a/b "])
    func trimmed(text: String) throws {
        #expect(try RemoteURL(text).description == "http://a/b")
    }

    @Test(
        "what is no http address, or hides where it leads, is refused by name",
        arguments: [
            "", "logo.png", "/logo.png", "//a/logo.png", "?x", "file:///etc/passwd", "ftp://a/b", "javascript:alert(1)",
            "data:text/plain,x", "blob:http://x/1", "httpx://a/", "http", "http:", "http:/", "http:a", "http:/a/",
            "http://", "https:///logo.png", "http://?x", "http://#x", "http://:80/", "http://a:b/", "http://a:8 0/",
            "http://a:65536/", "http://a:99999999999999999999/", "http://a:-1/", "http://a:1:2/", "http://user@a/",
            "http://user:word@a/", "http://@a/", "http://:@a/", "http://a:80@b/", "http://a\\@b/", "http:\\\\a/",
            "http://a/\\b", "http://a b/", " ", " http ://a/", "http:// a/", "http://a/\nb", "http://a/b\n",
            "http://a/b\r\nX: 1", "http://a/\tb", "http://a/\u{0}",
            "http://a/\u{7f}", "http://a/\u{85}", "http://a/\u{2028}", "java\nscript:alert(1)", "http://a%00b/",
            "http://%31%32%37.0.0.1/",
            "http://{a,b}/", "http://a;b/", "http://[::1/", "http://[]/", "http://[127.0.0.1]/", "http://[::1]a/",
            "http://[::1]:x/", "http://[nonsense]/", "http://[::1%a b]/", "http://[[::1]]/", "http://::1/",
            // With an accent on it a slash or a backslash is another character, yet the same byte.
            "http:/\u{301}/a/", "http://a/\\\u{301}b", "http://user@\u{301}b/",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try RemoteURL(text) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix("url ") == true)
    }

    @Test("the limit counts bytes of UTF-8")
    func longest() throws {
        let start = "http://a/"
        let most = start + String(repeating: "x", count: RemoteURL.maxLength - start.utf8.count)
        #expect(try RemoteURL(most).description == most)
        #expect(throws: ServiceError.self) { try RemoteURL(most + "x") }
        #expect(throws: ServiceError.self) { try RemoteURL(String(most.dropLast()) + "照") }
    }

    @Test(
        "for connecting, spaces and other scripts are percent-encoded and the fragment is left out",
        arguments: [
            ("https://a.example/b%20c?d=e#f", "https://a.example/b%20c?d=e"),
            ("https://a.example/照片.jpg?名=é", "https://a.example/%E7%85%A7%E7%89%87.jpg?%E5%90%8D=%C3%A9"),
            ("HTTP://A/%zz\"<>", "HTTP://A/%zz\"<>"), ("http://a#/\u{301}", "http://a"),
            ("http://a/\u{301}b", "http://a/%CC%81b"), ("http://a/b c.png?d e#f g", "http://a/b%20c.png?d%20e"),
            ("http://a/\u{3000}b", "http://a/%E3%80%80b"),
        ]
    )
    func requestText(text: String, expected: String) throws {
        #expect(try RemoteURL(text).requestText == expected)
    }

    @Test(
        "a host in another script is not connected to",
        arguments: ["照片.example.org", "１２７.0.0.1", "127。0。0。1", "aé"]
    )
    func foreignHost(host: String) throws {
        let url = try RemoteURL("http://\(host)/a")
        let error = #expect(throws: ServiceError.self) { try url.requestText }
        #expect(error?.code == .badRequest)
    }

    @Test(
        "the last part of the path names the file, if a file can be called so",
        arguments: [
            ("http://a/b/photo.jpg", "photo.jpg"), ("http://a/photo.jpg?w=/y.png#/z", "photo.jpg"),
            ("http://a/my%20photo.jpg", "my photo.jpg"), ("http://a/%E7%85%A7%E7%89%87.jpg", "照片.jpg"),
            ("http://a/照片.jpg", "照片.jpg"), ("http://a/100%25.jpg", "100%.jpg"), ("http://a", nil), ("http://a/", nil),
            ("http://a/b/", nil), ("http://a?b/c", nil), ("http://a/.", nil), ("http://a/..", nil),
            ("http://a/%2e%2e", nil), ("http://a/b%2Fc", nil), ("http://a/b%5Cc", nil), ("http://a/b%00c", nil),
            ("http://a/b%0d%0ac", nil), ("http://a/%ff.jpg", nil), ("http://a/%zz", nil),
            ("http://a/16-bytes-of-name", "16-bytes-of-name"), ("http://a/17-bytes-of-names", nil),
        ] as [(String, String?)]
    )
    func lastPathSegment(text: String, expected: String?) throws {
        #expect(try RemoteURL(text).lastPathSegment(limit: 16) == expected)
    }
}
