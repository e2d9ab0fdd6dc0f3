import Domain
import Synchronization
import Testing

@Suite struct ImageRequestsTests {
    /// Counts how often a mark's parameters were parsed.
    private final class Reads: Sendable {
        let count = Mutex(0)

        func context(fileSize: Int64 = 1000) -> ImageParsingContext {
            ImageParsingContext(
                limits: ImageLimits(),
                ownKey: { text in
                    self.count.withLock { $0 += 1 }
                    return FileKey(text)
                },
                fileSize: fileSize
            )
        }
    }

    private let requests = ImageRequests()
    private let reads = Reads()
    private let mark = "watermark/1/image/\("a.png".inBase64)"

    @Test("a query string that was parsed once is known")
    func known() async throws {
        let first = try await requests.request(mark, host: "a.example", context: reads.context())
        let second = try await requests.request(mark, host: "a.example", context: reads.context())
        #expect(first != nil && first == second)
        #expect(reads.count.withLock(\.self) == 1)
    }

    @Test("another host and another size of the file are another query")
    func others() async throws {
        _ = try await requests.request(mark, host: "a.example", context: reads.context())
        _ = try await requests.request(mark, host: "b.example", context: reads.context())
        _ = try await requests.request(mark, host: nil, context: reads.context())
        _ = try await requests.request(mark, host: nil, context: reads.context(fileSize: 7))
        #expect(reads.count.withLock(\.self) == 4)
        let limited = "imageMogr2/size-limit/$(fsize)"
        let small = try await requests.request(limited, host: nil, context: reads.context(fileSize: 1000))
        #expect(try await requests.request(limited, host: nil, context: reads.context(fileSize: 2000)) != small)
    }

    @Test("long query strings are parsed each time")
    func long() async throws {
        let long = mark + "&" + String(repeating: "x", count: 256)
        for _ in 0..<2 { _ = try? await requests.request(long, host: nil, context: reads.context()) }
        #expect(reads.count.withLock(\.self) == 2)
    }

    @Test("what is refused is refused again, and what is no image operator stays none")
    func refused() async throws {
        for _ in 0..<2 {
            await #expect(throws: ServiceError.self) {
                try await requests.request("imageView2/9", host: nil, context: reads.context())
            }
            #expect(try await requests.request("v=3", host: nil, context: reads.context()) == nil)
        }
    }
}
