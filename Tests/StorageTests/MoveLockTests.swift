import Support
import Testing

@testable import Storage

@Suite struct MoveLockTests {
    @Test("a second move of the folder is refused, and the next one has the same id")
    func second() async throws {
        try await Samples.withFolder { folder in
            let first = try MoveLock(of: folder)
            let id = first.id
            let error = #expect(throws: ExitError.self) { _ = try MoveLock(of: folder) }
            #expect(error?.description.contains("another 'lcfile migrate'") == true)
            _ = consume first
            #expect(try MoveLock(of: folder).id == id)
        }
    }

    @Test("a folder that does not exist is refused")
    func missing() {
        #expect(throws: ExitError.self) { _ = try MoveLock(of: "/nonexistent/storage") }
    }
}
