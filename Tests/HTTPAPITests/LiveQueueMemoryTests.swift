import Domain
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

/// The memory of the events that wait for all clients, without their connections.
@Suite struct LiveQueueMemoryTests {
    private let memory = LiveQueueMemory(limit: 8000)
    private let channel = EmbeddedChannel()
    private let installation: InstallationID

    init() throws {
        installation = try #require(InstallationID("d1"))
    }

    private func outbox(at address: String? = nil) -> LiveQueryOutbox {
        LiveQueryOutbox(channel: channel, limits: LiveQueryLimits(), memory: memory, address: address)
    }

    /// An event with a storage of its own, which takes a number of bytes.
    private func event(_ size: Int) -> LiveEvent {
        LiveEvent(.create, of: LiveQueryID("q"), object: [UInt8](repeating: 0x20, count: size - 128))
    }

    private func put(_ event: LiveEvent, _ count: Int = 1, into outbox: LiveQueryOutbox) {
        for _ in 0..<count { outbox.put(.event(event, for: installation)) }
    }

    @Test("beyond the limit a client with events that wait has to go away, and one without gets its event")
    func limit() {
        let outboxes = [outbox(), outbox(), outbox()]
        for outbox in outboxes.prefix(2) {
            for _ in 0..<4 { put(event(1000), into: outbox) }
        }
        #expect(memory.size == 8000)
        put(event(1000), into: outboxes[2])
        #expect(outboxes.map(\.isGoing) == [false, false, false])
        put(event(1000), into: outboxes[0])
        #expect(outboxes.map(\.isGoing) == [true, false, false])
        #expect(memory.size == 5000)
    }

    @Test("the clients at one address have a quarter, or one event of any size")
    func share() {
        let (first, second, other) = (outbox(at: "10.0.0.1"), outbox(at: "10.0.0.1"), outbox(at: "10.0.0.2"))
        put(event(5000), into: first)
        #expect(!first.isGoing)
        put(event(1000), into: second)
        put(event(1000), into: other)
        #expect([first, second, other].map(\.isGoing) == [false, true, false])
        _ = first.next()
        let third = outbox(at: "10.0.0.1")
        for _ in 0..<2 { put(event(1000), into: third) }
        #expect(!third.isGoing)
        put(event(1000), into: third)
        #expect(third.isGoing)
    }

    @Test("equal objects of one change count once, and once for each address")
    func sharedStorage() {
        let event = self.event(1500)
        let near = (0..<3).map { _ in outbox(at: "10.0.0.1") }
        for outbox in near { put(event, into: outbox) }
        #expect(memory.size == 1372 + 3 * 128)
        let far = outbox(at: "10.0.0.2")
        put(event, 2, into: far)
        #expect(memory.size == 1372 + 5 * 128)
        #expect((near + [far]).allSatisfy { !$0.isGoing })
        for outbox in near { _ = outbox.next() }
        #expect(memory.size == 1372 + 2 * 128)
    }

    @Test("events count until they are taken, or their connection goes away or ends")
    func ends() {
        let taken = outbox(at: "10.0.0.1")
        let gone = outbox(at: "10.0.0.2")
        var ended: LiveQueryOutbox? = outbox(at: "10.0.0.3")
        for outbox in [taken, gone, ended].compactMap(\.self) { put(event(500), 2, into: outbox) }
        #expect(memory.size == 3 * (372 + 2 * 128))
        _ = taken.next()
        #expect(memory.size == 3 * (372 + 2 * 128) - 128)
        _ = taken.next()
        #expect(memory.size == 2 * (372 + 2 * 128))
        gone.goAway()
        #expect(memory.size == 372 + 2 * 128)
        ended = nil
        #expect(memory.size == 0)
    }
}
