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
        "no way to write the address of a preview puts its signature in the log",
        arguments: [
            "/1.1/censorship/files/app/6b017ba12dd266ba0b930c5d/1795700727/T", "/1.1/censorship/files/T",
            "/1/censorship/files/app/id/1/T", "/1.1/censorship//files/./app/id/1/%54T", "/1.1/Censorship/Files/a/b/c/T",
            "/1.1%2Fcensorship%2Ffiles%2Fapp%2Fid%2F1%2FT", "/1.1/censorship/files/app/id/1/T/more",
        ]
    )
    func previews(path: String) {
        let path = path.replacing("T", with: RequestLogTests.token)
        #expect(!path.withoutToken.contains("k3nTk3n"))
        #expect(path.withoutToken.lowercased().hasPrefix("/1"))
        #expect(path.withoutToken.lowercased().contains("censorship/files/…"))
    }

    @Test(
        "other paths stay as they are",
        arguments: [
            "/", "/1.1/files/upload.jpg", "/abc/upload/x.jpg", "/1.1/classes/Upload", "/upload/x", "/health", "/%41/b",
            "/1.1/upload", "/1.1/files/6b017ba12dd266ba0b930c5d/censor", "/1.1/censorship/known",
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
