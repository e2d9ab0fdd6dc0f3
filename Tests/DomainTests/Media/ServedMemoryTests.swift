import NIOCore
import Testing

@testable import Domain

@Suite struct ServedMemoryTests {
    private let bytes = ByteBuffer(string: "sixteen letters!")

    @Test("bytes are served as long as there is room")
    func bound() async throws {
        let memory = ServedMemory(limit: 40)
        let first = try #require(memory.blob(of: bytes))
        let second = memory.blob(of: bytes)
        #expect(second != nil)
        #expect(memory.blob(of: bytes) == nil)
        #expect(try await first.read(at: 8, count: 100) == ByteBuffer(string: "letters!"))
    }

    @Test("bytes that nobody reads any more make room")
    func room() throws {
        let memory = ServedMemory(limit: 16)
        for _ in 1...3 { #expect(memory.blob(of: bytes) != nil) }
    }
}
