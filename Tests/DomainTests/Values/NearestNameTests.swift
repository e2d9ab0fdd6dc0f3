import Testing

@testable import Domain

@Suite struct NearestNameTests {
    @Test(
        "the nearest name is one of few edits",
        arguments: [
            ("port", "port"), ("prot", "port"), ("Port", "port"), ("http.idletimeout", "http.idleTimeout"),
            ("http.timeout", nil), ("pot", "port"), ("xy", nil), ("", nil), ("storeage", "storage"),
        ] as [(String, String?)]
    )
    func nearestName(name: String, nearest: String?) {
        #expect(["http.idleTimeout", "port", "storage"].nearest(to: name) == nearest)
    }
}
