import Testing

@testable import Domain

/// Paths that end with a style (docs/image-options.md, section 8).
@Suite struct ImageNamesTests {
    private let names = ImageNames(styles: ["small": "imageView2/2/w/200", "slim": "imageslim"])

    private func style(_ path: String, _ names: ImageNames? = nil) -> [String]? {
        (names ?? self.names).style(of: path).map { [$0.key, $0.name, $0.chain] }
    }

    @Test("a path with a style's name behind the last separator is the key and the chain")
    func styled() {
        #expect(style("photo.jpg-small") == ["photo.jpg", "small", "imageView2/2/w/200"])
        #expect(style("a-b/c-small.jpg-slim") == ["a-b/c-small.jpg", "slim", "imageslim"])
    }

    @Test(
        "other paths have no style",
        arguments: ["photo.jpg", "photo.jpg-large", "photo.jpg-Small", "photo.jpg-small-", "photo.jpg-", "small", ""]
    )
    func plain(path: String) {
        #expect(style(path) == nil)
    }

    @Test("an app may have another separator")
    func separator() {
        let names = ImageNames(styles: ["small": "imageslim"], separator: "!")
        #expect(style("a-small!small", names) == ["a-small", "small", "imageslim"])
        #expect(style("a-small", names) == nil)
    }

    @Test("without styles no path has one")
    func none() {
        #expect(style("photo.jpg-small", ImageNames()) == nil)
    }
}
