import Testing

@testable import Domain

@Suite struct RedirectTargetTests {
    private let targets = RedirectTargets(["https://app.example.org", "http://localhost:3000/in"])

    @Test(
        "targets of the list and below it are allowed",
        arguments: [
            "https://app.example.org", "https://app.example.org/", "https://app.example.org/a/b?c=d#e",
            "https://app.example.org?x=..", "http://localhost:3000/in", "http://localhost:3000/in/x",
        ]
    )
    func allowed(url: String) throws {
        #expect(targets.allow(url))
        #expect(try targets.checked(.string(url)) == url)
    }

    @Test(
        "every other target is refused",
        arguments: [
            "", "https://evil.example", "https://app.example.org.evil.example", "https://app.example.org@evil.example",
            "https://app.example.org:443", "http://app.example.org", "//app.example.org", "javascript:alert(1)",
            "https://app.example.org\\@evil.example", "https://app.example.org/\r\nX", "https://app.example.org/é",
            "http://localhost:3000/inside", "http://localhost:3000/in/../x", "http://localhost:3000/in/%2e%2E/x",
            "http://localhost:3000/in/.%2e", "https://app.example.org/\"onclick", " https://app.example.org",
            "https://app.example.org/" + String(repeating: "a", count: 2000),
        ]
    )
    func refused(url: String) {
        #expect(!targets.allow(url))
        #expect(throws: ServiceError.self) { try targets.checked(.string(url)) }
    }

    @Test("an empty list allows no target, and no target needs no list")
    func empty() throws {
        #expect(!RedirectTargets().allow("https://app.example.org"))
        #expect(try RedirectTargets().checked(nil) == nil)
        #expect(try RedirectTargets().checked(.null) == nil)
    }
}
