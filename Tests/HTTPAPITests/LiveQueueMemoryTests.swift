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

    @Test("beyond the limit the client with the longest queue has to go away, not the one that gets an event")
    func limit() {
        let outboxes = [outbox(), outbox(), outbox()]
        for (outbox, count) in zip(outboxes, [3, 5]) {
            for _ in 0..<count { put(event(1000), into: outbox) }
        }
        #expect(memory.size == 8000)
        for _ in 0..<2 { put(event(1000), into: outboxes[2]) }
        #expect(outboxes.map(\.isGoing) == [false, true, false])
        #expect(memory.size == 5000)
    }

    @Test("beyond the limit a client at the address with most has to go away, also if another queue is longer")
    func limitOfAddresses() {
        let addresses = (1...4).map { "10.0.0.\($0)" }
        let crowds = addresses.map { address in (0..<4).map { _ in outbox(at: address) } }
        for outbox in crowds.joined() { put(event(480), into: outbox) }
        let other = outbox(at: "10.0.0.9")
        put(event(700), into: other)
        #expect(!other.isGoing)
        #expect(crowds.joined().filter(\.isGoing).count == 1)
        #expect(memory.size <= 8000)
    }

    @Test("beyond the limit a client with one event is the last to go away, however large the event is")
    func oneLargeEvent() {
        let slow = (1...4).map { outbox(at: "10.0.0.\($0)") }
        for outbox in slow { for _ in 0..<2 { put(event(900), into: outbox) } }
        let fast = outbox(at: "10.0.0.9")
        put(event(1900), into: fast)
        #expect(!fast.isGoing)
        #expect(slow.filter(\.isGoing).count == 1)
    }

    @Test("the clients at one address have a quarter, beyond which the longest of their queues has to go away")
    func share() {
        let (slow, fast) = (outbox(at: "10.0.0.1"), outbox(at: "10.0.0.1"))
        let (other, exempt) = (outbox(at: "10.0.0.2"), outbox())
        for _ in 0..<2 { put(event(1000), into: slow) }
        for outbox in [other, exempt] { put(event(1000), into: outbox) }
        #expect([slow, fast, other, exempt].map(\.isGoing) == [false, false, false, false])
        put(event(500), 2, into: fast)
        #expect([slow, fast, other, exempt].map(\.isGoing) == [true, false, false, false])
        #expect(memory.size == 2000 + 372 + 2 * 128)
    }

    @Test("of two queues that are equally long, the one that did not get the event has to go away")
    func equallyLong() {
        let (slow, fast) = (outbox(at: "10.0.0.1"), outbox(at: "10.0.0.1"))
        for outbox in [slow, fast] { put(event(1500), into: outbox) }
        #expect([slow, fast].map(\.isGoing) == [true, false])
    }

    @Test("one event alone can have any size")
    func oneEvent() {
        let outbox = self.outbox(at: "10.0.0.1")
        put(event(9000), into: outbox)
        #expect(!outbox.isGoing)
        put(event(128), into: outbox)
        #expect(outbox.isGoing)
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
