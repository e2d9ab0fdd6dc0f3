import Testing

@testable import Domain

/// Which keys of files a text names by URLs.
@Suite struct URLKeyTests {
    private static let url = "http://host/a/x.png"

    private func keys(in text: String) -> Set<String> {
        var found: Set<String> = []
        let urls = URLKeys(fileDomains: ["https://files.example.com/base"], styleSeparator: "-")
        urls.each(in: text) { found.insert($0.description) }
        return found
    }

    private static let numbers = (1...18).map(String.init).joined(separator: ",")
    private static let accents = String(repeating: "e\u{301}", count: 10)

    private static let texts: [String] = [
        "图：\(url)。", "见\(url)，谢谢", "图片\(url)很好看", "（\(url)）", "\(url)です", "look \(url)😀", "“\(url)”",
        "\(url)—see", "\(url)\u{a0}x", "《\(url)》、", "\(url)。。。",
        "\(url),http://h/other", "\(url);\(url)2", "\(url)&x", "\(url)=1", "\(url):", "[\(url)](y)", "(\(url))!",
        "![x](\(url)) and", "![x](\(url)), and", "*\(url)*.", "background:url(\(url));",
        "&lt;img src=&quot;\(url)&quot;&gt;", #"{"u":"http:\/\/h\/a\/x.png"}"#,
        #"{\"u\":\"http:\\\/\\\/h\\\/a\\\/x.png\"}"#,
        #"<img src="//host/a/x.png">"#, "<img src=//host/a/x.png>", "//host/a/x.png", "url(//host/a/x.png)",
        "http://h/other,\(url)", "http://h/other，\(url)", "https://cache/\(url)", "a://b/c://d/\(url)",
        "//files.example.com/base/a/x.png，", "http://files.example.com/base/a/x.png;", "\(url)?a=1&amp;b=2",
        "\(url)-small，", "http://h/a/x%2Epng。", "\(url),\(String(repeating: "好", count: 5000))",
    ]

    @Test("a URL is found in texts that add characters to it", arguments: texts)
    func isFound(text: String) {
        #expect(keys(in: text).contains("a/x.png"), "\(text.prefix(80))")
    }

    @Test(
        "what a key contains itself does not end it",
        arguments: [
            ("http://h/照片，一.png", "照片，一.png"), ("http://h/照片.png很好", "照片.png"), ("http://h/照片。", "照片"),
            ("http://h/a,b;c.png,", "a,b;c.png"), ("http://h/a(1).png)", "a(1).png"),
            ("http://h/a&amp;b.png", "a&b.png"), ("http://h/a.", "a."), ("http://h/web/http://g/x", "x"),
            ("http://h/a%2Cb.png,", "a,b.png"), ("http://h/a&amp;b.png;c&amp;d", "a&b.png"),
            // Many separators in the key, and accents that are scalars of their own.
            ("http://h/\(numbers).png，谢", "\(numbers).png"),
            ("http://h/\(accents).png，1,2,3,4,5,6,7,8,9", "\(accents).png"),
        ]
    )
    func isWhole(text: String, key: String) {
        #expect(keys(in: text).contains(key), "\(keys(in: text))")
    }

    @Test(
        "texts without a URL name nothing",
        arguments: ["", "a/x.png", "://", "http://", "//", "a//b/c", "1 // 2", "/a"]
    )
    func isNone(text: String) {
        #expect(keys(in: text).isEmpty)
    }

    @Test("a broken percent-encoding ends the search for keys in a URL")
    func broken() {
        #expect(keys(in: "http://h/a,b%ZZ,c") == ["a"])
    }

    @Test(
        "the number of possible ends of a URL is bounded, and each counts once",
        arguments: [
            (String(repeating: "a,", count: 100), 17), (String(repeating: "a,", count: 1000), 8),
            (String(repeating: ",", count: 16), 16), (String(repeating: ".,", count: 16), 33), ("a-b,,,,", 6),
        ]
    )
    func bound(path: String, most: Int) {
        var calls = 0
        URLKeys(fileDomains: [], styleSeparator: "-").each(in: "//h/\(path)") { _ in calls += 1 }
        #expect(1...most ~= calls, "\(calls)")
    }
}
