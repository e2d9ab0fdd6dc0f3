import Testing

@testable import HTTPAPI

@Suite struct RequestSegmentsTests {
    @Test(
        "a path has the segments that the router sees, also where a character combines with a slash",
        arguments: [
            ("/1.1/classes/Item/a,b", ["1.1", "classes", "Item", "a,b"]),
            ("//1.1//files/", ["1.1", "files"]),
            ("/1.1/files/caf\u{e9}/url", ["1.1", "files", "caf\u{e9}", "url"]),
            ("/1.1/files/A\u{600}/url", ["1.1", "files", "A\u{600}/url"]),
            ("", []),
        ]
    )
    func segments(path: String, segments: [String]) {
        #expect(Substring(path).segments.map(String.init) == segments)
    }
}
