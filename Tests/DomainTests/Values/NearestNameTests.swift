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

    @Test(
        "the part behind the beginning that all names have is compared",
        arguments: [("A_PROT", "A_PORT"), ("A_PRT", "A_PORT"), ("A_XY", nil), ("A_", nil), ("PORT", "A_PORT")]
            as [(String, String?)]
    )
    func nearestBehindPrefix(name: String, nearest: String?) {
        #expect(["A_HOST_NAME", "A_PORT", "B"].nearest(to: name, behind: "A_") == nearest)
    }
}
