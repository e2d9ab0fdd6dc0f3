import NIOCore
import Testing

@testable import Console

/// The files of the site in the binary.
@Suite struct SiteFileTests {
    @Test("the page and its start are there, with the types that browsers need")
    func types() throws {
        let page = try #require(SiteFile.all[""])
        #expect(page.type == "text/html; charset=utf-8")
        #expect(String(buffer: page.bytes).hasPrefix("<!doctype html>"))
        #expect(SiteFile.all["scripts/start.js"]?.type == "text/javascript; charset=utf-8")
        #expect(SiteFile.all["console.css"]?.type == "text/css; charset=utf-8")
        #expect(SiteFile.all.values.allSatisfy { $0.type != "application/octet-stream" })
    }

    @Test("no two files have the same tag")
    func tags() {
        #expect(Set(SiteFile.all.values.map(\.tag)).count == SiteFile.all.count)
    }

    @Test("the page has no inline script and no inline style")
    func inline() throws {
        let page = String(buffer: try #require(SiteFile.all[""]).bytes)
        #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains(" on"))
        let scripts = page.split(separator: "<script").dropFirst()
        #expect(scripts.count == 1 && scripts.allSatisfy { $0.contains(" src=") })
    }
}

/// From where the site can load scripts.
@Suite struct SitePolicyTests {
    @Test(
        "scripts come from below /console/ where policies can say so, and never from a source that a client made up",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080/console/"), ("localhost", "localhost/console/"),
            ("files.example.com:443", "files.example.com:443/console/"), ("[::1]:8080", "'self'"),
            ("192.0.2.1:8080", "'self'"), ("", "'self'"), ("a; script-src *", "'self'"), ("*", "'self'"),
            ("a b", "'self'"), ("a,b", "'self'"), ("'unsafe-inline'", "'self'"),
        ]
    )
    func source(authority: String, source: String) {
        #expect(SitePages.source(of: authority) == source)
    }
}
