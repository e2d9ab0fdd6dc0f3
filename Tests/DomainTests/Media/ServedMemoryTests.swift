import NIOCore
import Testing

@testable import Domain

@Suite struct ServedMemoryTests {
    private let bytes = ByteBuffer(string: "sixteen letters!")

    @Test("bytes are served as long as there is capacity")
    func bound() async throws {
        let memory = ServedMemory(limit: 40)
        let first = try #require(memory.blob(of: bytes))
        let second = memory.blob(of: bytes)
        #expect(second != nil)
        #expect(memory.blob(of: bytes) == nil)
        #expect(try await first.read(at: 8, count: 100) == ByteBuffer(string: "letters!"))
    }

    @Test("bytes that come in pieces take memory as they arrive")
    func pieces() {
        let memory = ServedMemory(limit: 16)
        let reservation = ServedMemory.Reservation(in: memory)
        #expect(reservation.grow(by: 10))
        #expect(!reservation.grow(by: 7))
        #expect(reservation.grow(by: 6))
    }

    @Test("the memory of bytes in pieces is released with the last reference")
    func givenBack() async throws {
        let memory = ServedMemory(limit: 16)
        do {
            let reservation = ServedMemory.Reservation(in: memory)
            #expect(reservation.grow(by: 16))
            // The blob has it as well.
            let blob = reservation.blob(of: bytes)
            #expect(memory.blob(of: bytes) == nil)
            #expect(try await blob.read(at: 0, count: 7) == ByteBuffer(string: "sixteen"))
        }
        #expect(memory.blob(of: bytes) != nil)
    }

    @Test("bytes without a reader release their memory")
    func reservation() throws {
        let memory = ServedMemory(limit: 16)
        for _ in 1...3 { #expect(memory.blob(of: bytes) != nil) }
    }
}
