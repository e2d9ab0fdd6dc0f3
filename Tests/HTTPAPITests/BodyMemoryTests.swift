import Domain
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTPAPI

@Suite struct BodyMemoryTests {
    private let memory = BodyMemory(limit: 400)
    private let app = AppID("app")

    private func user(_ id: String) throws -> CallerIdentity {
        .user(try #require(ObjectID(String(repeating: id, count: 24))), in: try #require(app))
    }

    @Test("one guest or user holds a quarter at most")
    func quarter() throws {
        for sender in [CallerIdentity.guest(address: "10.0.0.1"), try user("a")] {
            let (first, second) = (memory.share(of: sender), memory.share(of: sender))
            #expect(first.tryGrow(by: 60))
            #expect(!second.tryGrow(by: 41))
            #expect(second.tryGrow(by: 40))
            #expect(throws: ServiceError.self) { try first.grow(by: 1) }
            first.end()
            #expect(second.tryGrow(by: 60))
            second.end()
        }
        #expect(memory.used == 0)
    }

    @Test("all guests hold half at most, guests and users three quarters, the master key all of it")
    func kinds() throws {
        let guests = (1...3).map { memory.share(of: .guest(address: "10.0.0.\($0)")) }
        #expect(guests[0].tryGrow(by: 100))
        #expect(guests[1].tryGrow(by: 100))
        #expect(!guests[2].tryGrow(by: 1))
        let users = try ["a", "b"].map { memory.share(of: try user($0)) }
        #expect(users[0].tryGrow(by: 100))
        #expect(!users[1].tryGrow(by: 1))
        let master = memory.share(of: .master)
        #expect(master.tryGrow(by: 100))
        #expect(!master.tryGrow(by: 1))
        #expect(memory.used == 400)
    }

    @Test("users have memory while the master key holds most")
    func master() throws {
        let master = memory.share(of: .master)
        #expect(master.tryGrow(by: 350))
        let user = memory.share(of: try user("a"))
        #expect(user.tryGrow(by: 50))
        #expect(!user.tryGrow(by: 1))
    }

    @Test("a body that exceeds the limit of its sender alone is too large; others are to try again")
    func tooLarge() throws {
        for (sender, limit) in [(CallerIdentity.guest(address: "10.0.0.1"), 100), (.master, 400)] {
            let (first, second) = (memory.share(of: sender), memory.share(of: sender))
            #expect(first.tryGrow(by: 10))
            for (bytes, code) in [(limit, ServiceError.Code.overloaded), (limit + 1, .payloadTooLarge)] {
                let error = #expect(throws: ServiceError.self) { try second.grow(by: bytes) }
                #expect(error?.code == code)
            }
            first.end()
        }
    }

    @Test("what is given back is free, and not more than was held")
    func givenBack() {
        let share = memory.share(of: .guest(address: "10.0.0.1"))
        #expect(share.tryGrow(by: 80))
        share.shrink(by: 30)
        #expect(memory.used == 50)
        share.shrink(by: 1000)
        #expect(memory.used == 0)
        share.end()
        share.end()
        #expect(memory.used == 0)
    }

    @Test("bytes that a share splits off count until their own share ends")
    func split() {
        let share = memory.share(of: .guest(address: "10.0.0.1"))
        #expect(share.tryGrow(by: 80))
        do {
            let part = share.split(50)
            share.end()
            #expect(memory.used == 50)
            withExtendedLifetime(part) {}
        }
        #expect(memory.used == 0)
    }

    @Test(
        "a long response counts until its last piece has left, compressed or not",
        arguments: [nil, "gzip", "zstd"] as [String?]
    )
    func response(coding: String?) async throws {
        let share = memory.share(of: .guest(address: "10.0.0.1"))
        #expect(share.tryGrow(by: 80))
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        var head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/")
        head.headerFields[.acceptEncoding] = coding
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let text = ByteBuffer(bytes: (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        do {
            let response = try await JSONCompression.compressed(
                RawJSON(text).response(holding: share.split(80), on: eventLoop),
                to: request,
                on: eventLoop
            )
            #expect(response.headers[.contentEncoding] == coding)
            let writer = PieceWriter(to: eventLoop) { [memory] in memory.used }
            try await response.body.write(writer)
            #expect(writer.used.allSatisfy { $0 == 80 })
            #expect(writer.isInStep)
            if coding == nil { #expect(writer.used.count > 4) }
        }
        #expect(memory.used == 0)
    }

    @Test("the refusal is 429's, and names the setting")
    func refusal() {
        let other = memory.share(of: .master)
        #expect(other.tryGrow(by: 1))
        let error = #expect(throws: ServiceError.self) { try memory.share(of: .master).grow(by: 400) }
        other.end()
        #expect(error?.code == .overloaded)
        #expect(error?.message.contains("http.bodyMemory") == true)
    }
}

/// Reads a value at each piece of a body, and gives the piece to an event loop without waiting for it, as the writers of
/// connections do.
private final class PieceWriter: ResponseBodyWriter, Sendable {
    private struct State {
        var values: [Int] = []
        /// The pieces that the event loop has handled.
        var handled = 0
        var isInStep = true

        mutating func check() {
            isInStep = isInStep && handled == values.count
        }
    }

    private let state = Mutex(State())
    private let eventLoop: any EventLoop
    private let value: @Sendable () -> Int

    init(to eventLoop: any EventLoop, _ value: @escaping @Sendable () -> Int) {
        self.eventLoop = eventLoop
        self.value = value
    }

    /// The value at each piece so far.
    var used: [Int] { state.withLock { $0.values } }

    /// Whether the event loop had handled all pieces before each one, and before the end.
    var isInStep: Bool { state.withLock { $0.isInStep } }

    func write(_ buffer: ByteBuffer) async throws {
        state.withLock { state in
            state.check()
            state.values.append(value())
        }
        eventLoop.execute { self.state.withLock { $0.handled += 1 } }
    }

    func finish(_ trailers: HTTPFields?) async throws {
        state.withLock { $0.check() }
    }
}
