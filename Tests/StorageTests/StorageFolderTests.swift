import Support
import Testing

@testable import Storage

@Suite struct StorageFolderTests {
    @Test("one folder serves one server at a time")
    func lock() async throws {
        try await Samples.withFolder { folder in
            let first = try StorageFolder(path: folder)
            let error = #expect(throws: ExitError.self) { _ = try StorageFolder(path: folder) }
            #expect(error?.exitCode == 73)
            #expect(error?.description.contains("in use by another") == true)
            _ = consume first
            _ = try StorageFolder(path: folder)
        }
    }

    @Test(
        "a folder that cannot be is refused with its path",
        arguments: ["/dev/null", "/proc/lcfile", "/nonexistent/a"]
    )
    func unusable(path: String) {
        let error = #expect(throws: ExitError.self) { _ = try StorageFolder(path: path) }
        #expect(error?.description.contains(path) == true)
        #expect(error?.exitCode == 73)
    }
}
