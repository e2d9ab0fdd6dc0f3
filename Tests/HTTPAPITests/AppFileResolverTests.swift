import Domain
import Testing

@testable import HTTPAPI

/// Which texts of a watermark name a file of the app (docs/image-options.md, section 5).
@Suite struct AppFileResolverTests {
    private func key(_ text: String, host: String? = "api.example.com") -> String? {
        AppFileResolver(
            bucket: "app",
            domains: ["https://files.example.com", "http://cdn.example.com:8080/files"],
            host: host
        ).key(of: text)?.description
    }

    @Test(
        "files of the app, by every name that it has",
        arguments: [
            ("a.png", "a.png"), ("folder/a b.png", "folder/a b.png"), ("kodo://app/a.png", "a.png"),
            ("https://files.example.com/a.png", "a.png"), ("https://files.example.com/a.png?v=1#x", "a.png"),
            ("https://files.example.com/%E7%8B%97.png", "狗.png"), ("http://cdn.example.com:8080/files/x/y", "x/y"),
            ("http://api.example.com/a.png", "a.png"), ("https://api.example.com/a%2Fb", "a/b"),
        ]
    )
    func own(text: String, key: String) {
        #expect(self.key(text) == key)
    }

    @Test(
        "everything else leads elsewhere",
        arguments: [
            "", "https://evil.example/a.png", "https://files.example.com", "https://files.example.com/",
            "https://files.example.com@evil.example/a.png", "https://user@files.example.com/a.png",
            "https://user:pass@files.example.com/a.png", "https://files.example.com:443/a.png",
            "https://files.example.com.evil.example/a.png", "https://files.example.com\\a.png",
            "HTTPS://files.example.com/a.png", "https://FILES.example.com/a.png", "http://files.example.com/a.png",
            "ftp://files.example.com/a.png", "file:///etc/passwd", "https:///a.png", "https://files.example.com/%zz",
            "https://files.example.com/%ff", "https://files.example.com/a%00b", "http://cdn.example.com:8080/other/x",
            "http://cdn.example.com/files/x", "kodo://other/a.png", "kodo://app/", "kodo://app", "KODO://app/a.png",
            "http://127.0.0.1/a.png", "http://api.example.com:81/a.png", " https://files.example.com/a.png",
            "https://files.example.com/\u{301}a.png", "https://files.example.com\u{301}/a.png",
        ]
    )
    func refused(text: String) {
        #expect(key(text) == nil)
    }

    @Test("without a host only what the app's settings name is its own")
    func noHost() {
        #expect(key("http://api.example.com/a.png", host: nil) == nil)
        #expect(key("https://files.example.com/a.png", host: nil) == "a.png")
    }
}
