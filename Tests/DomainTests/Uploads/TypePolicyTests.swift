import Testing

@testable import Domain

@Suite struct TypePolicyTests {
    private func allows(_ policy: TypePolicy, _ served: String, _ detected: String?) throws -> Bool {
        policy.allows(
            served: try #require(MediaType(served)),
            detected: try detected.map { try #require(MediaType($0)) }
        )
    }

    @Test("without a list every type may be uploaded", arguments: ["image/png", "text/html", nil] as [String?])
    func unlimited(detected: String?) throws {
        #expect(try allows(.any, "application/x-msdownload", detected))
    }

    @Test(
        "a list allows what one of its patterns matches, and nothing else",
        arguments: [
            ("image/*", "image/png", true), ("image/*", "image/svg+xml", true), ("image/*", "video/mp4", false),
            ("image/jpeg;image/png", "image/png", true), ("image/jpeg;image/png", "image/gif", false),
            ("*/*", "video/mp4", true), ("*/pdf", "application/pdf", true), ("*/pdf", "application/pdfx", false),
            ("image/*p*g", "image/jpeg", true), ("image/*p*g", "image/webp", false), ("image/**", "image/png", true),
            ("image/png*", "image/png", true), ("image/png", "ximage/png", false),
            (" IMAGE/Jpeg ; image/PNG ", "image/png", true),
        ]
    )
    func list(text: String, type: String, isAllowed: Bool) throws {
        let policy = try #require(TypePolicy(text))
        #expect(try allows(policy, type, type) == isAllowed)
    }

    @Test(
        "a list behind an exclamation mark refuses what one of its patterns matches, and nothing else",
        arguments: [
            ("!text/html;application/xhtml+xml", "text/html", false),
            ("!text/html;application/xhtml+xml", "application/xhtml+xml", false),
            ("!text/html;application/xhtml+xml", "image/png", true), ("!*/*", "image/png", false),
            ("!video/*", "video/mp4", false), ("!video/*", "audio/mp4", true),
        ]
    )
    func refusals(text: String, type: String, isAllowed: Bool) throws {
        let policy = try #require(TypePolicy(text))
        #expect(try allows(policy, type, type) == isAllowed)
    }

    @Test(
        "what the bytes are and what the file would be served as must both pass",
        arguments: [
            ("image/*", "image/png", "text/html", false), ("image/*", "text/html", "image/png", false),
            ("image/*", "image/png", "image/jpeg", true), ("!text/html", "image/png", "text/html", false),
            ("!text/html", "text/html", "image/png", false),
        ]
    )
    func both(text: String, served: String, detected: String, isAllowed: Bool) throws {
        let policy = try #require(TypePolicy(text))
        #expect(try allows(policy, served, detected) == isAllowed)
    }

    @Test(
        "bytes of no known type count as application/octet-stream",
        arguments: [
            ("image/*", false), ("image/*;application/octet-stream", true), ("!application/octet-stream", false),
            ("!text/html", true),
        ]
    )
    func unknown(text: String, isAllowed: Bool) throws {
        let policy = try #require(TypePolicy(text))
        #expect(try allows(policy, "image/png", nil) == isAllowed)
    }

    @Test(
        "of bytes that are text the claim says which text",
        arguments: [
            ("application/json", "application/json", true), ("text/css", "text/html", false),
            ("!text/html", "text/html", false), ("!text/plain", "text/css", true),
            ("text/plain", "text/plain", true), ("!text/plain", "text/plain", false),
        ]
    )
    func text(list: String, served: String, isAllowed: Bool) throws {
        let policy = try #require(TypePolicy(list))
        #expect(try allows(policy, served, "text/plain") == isAllowed)
    }

    @Test(
        "what is no list of patterns is refused, so that a slip opens nothing",
        arguments: [
            "", "!", "*", "image", "image/", "/png", "a/b/c", "image/*;", ";image/*", "image/png,image/jpeg",
            "image/png;charset=utf-8", "image/p\u{e9}g",
        ]
    )
    func malformed(text: String) {
        #expect(TypePolicy(text) == nil)
    }
}
