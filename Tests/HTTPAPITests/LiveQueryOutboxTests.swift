import Domain
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

/// The events that wait for one client, without its connection.
@Suite struct LiveQueryOutboxTests {
    /// Counts the notices of an outbox.
    private final class Notices: ChannelInboundHandler {
        typealias InboundIn = NIOAny
        var count = 0

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is LiveQueryOutbox.Filled { count += 1 }
        }
    }

    private let channel = EmbeddedChannel()
    private let notices = Notices()
    private let outbox: LiveQueryOutbox
    private let installation: InstallationID

    init() throws {
        installation = try #require(InstallationID("d1"))
        var limits = LiveQueryLimits()
        (limits.queueCount, limits.queueSize) = (3, 1000)
        try channel.pipeline.syncOperations.addHandler(notices)
        let memory = LiveQueueMemory(limit: 1 << 20)
        outbox = LiveQueryOutbox(channel: channel, limits: limits, memory: memory, address: nil)
    }

    private func event(_ name: String = "q", size: Int = 2) -> LiveEvent {
        LiveEvent(.create, of: LiveQueryID(name), object: [UInt8](repeating: 0x20, count: size))
    }

    private func put(_ event: LiveEvent) {
        outbox.put(.event(event, for: installation))
    }

    /// The names of all waiting events, and how the outbox ends.
    private func rest() -> String {
        var names = ""
        while true {
            switch outbox.next() {
            case .item(.event(let event, _)): names += event.query.description
            case .item: names += "?"
            case .nothing: return names
            case .goAway(let isSlow): return names + (isSlow ? "!" : ".")
            }
        }
    }

    @Test("events come in their order, and the connection is notified once")
    func order() {
        for name in ["a", "b", "c"] { put(event(name)) }
        #expect(notices.count == 1)
        #expect(rest() == "abc")
        put(event("d"))
        #expect(notices.count == 2)
        #expect(rest() == "d")
    }

    @Test("one event too many drops all, and nothing is queued afterwards")
    func count() {
        for name in ["a", "b", "c", "d", "e"] { put(event(name)) }
        #expect(rest() == "!")
        #expect(notices.count == 2)
    }

    @Test("events that are too large together drop all; one alone can have any size")
    func size() {
        put(event("a", size: 5000))
        #expect(rest() == "a")
        put(event("b", size: 500))
        put(event("c", size: 500))
        #expect(rest() == "!")
    }

    @Test("what was taken does not count")
    func taken() {
        for _ in 0..<20 {
            put(event("a", size: 500))
            #expect(rest() == "a")
        }
    }

    @Test("a connection that must go away gets nothing more")
    func goAway() {
        put(event("a"))
        outbox.goAway()
        outbox.goAway()
        put(event("b"))
        #expect(rest() == ".")
        #expect(notices.count == 2)
    }
}
