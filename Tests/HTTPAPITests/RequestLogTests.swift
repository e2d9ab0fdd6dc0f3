import Testing

@testable import HTTPAPI

@Suite struct RequestLogTests {
    private static let token = String(repeating: "Tk3n", count: 10)

    @Test(
        "no way to write a path puts a token in the log",
        arguments: [
            "/1.1/upload/T", "/1.1/uploads/T", "/1/upload/T", "//1.1/upload/T", "/1.1/./upload/T", "/1.1//upload//T",
            "/1.1/%75pload/T", "/1.1/upload/%54T", "/1.1%2Fupload%2FT", "/x/../1.1/upload/T", "/1.1/x/../upload/./T",
            "/1.1/Upload/T", "/1.1\\upload\\T", "/1.1/upload/x/T", "/1.1/%zz/%75pload/T", "/%31.1/uploads/T/progress",
            "/1.1/%ff/upload/T", "/1.1/upload/%CC%88T", "/1.1/upload%5C%CC%88T", "/1.1/%CC%88x/upload/T",
        ]
    )
    func tokens(path: String) {
        let path = path.replacing("T", with: RequestLogTests.token)
        #expect(!path.withoutToken.contains("k3nTk3n"))
        #expect(path.withoutToken.contains("pload"))
    }

    @Test(
        "other paths stay as they are",
        arguments: [
            "/", "/1.1/files/upload.jpg", "/abc/upload/x.jpg", "/1.1/classes/Upload", "/upload/x", "/health", "/%41/b",
            "/1.1/upload",
        ]
    )
    func others(path: String) {
        #expect(path.withoutToken == path)
    }

    @Test("what stands behind a token stays")
    func rest() {
        #expect("/1.1/upload/\(RequestLogTests.token)/mkblk/4194304".withoutToken == "/1.1/upload/…/mkblk/4194304")
    }
}
