import Domain
import Synchronization
import Testing

/// Who waits for permits when more requests come than may wait.
@Suite(.timeLimit(.minutes(5))) struct FairPermitLimitTests {
    /// How requests that came one after the other while the only permit was held ended: in the order in which they got
    /// it, and in the order in which they were refused.
    private func outcome(
        of keys: [String],
        maxWaiting: Int,
        exempt: String? = nil
    ) async throws -> (granted: [String], refused: [String]) {
        let permits = FairPermits<String>(1, maxWaiting: maxWaiting, exempt: exempt)
        let (granted, refused) = (Keys(), Keys())
        try await permits.take(for: "held")
        try await withThrowingTaskGroup { group in
            for (index, key) in keys.enumerated() {
                group.addTask {
                    do {
                        try await permits.take(for: key)
                        granted.append(key)
                        permits.giveBack()
                    } catch is PermitsRefused {
                        refused.append(key)
                    }
                }
                while permits.waitingCount + refused.all.count <= index { await Task.yield() }
            }
            permits.giveBack()
            try await group.waitForAll()
        }
        #expect(permits.freeCount == 1)
        #expect(permits.waitingCount == 0)
        return (granted.all, refused.all)
    }

    @Test("one key alone has all slots of the queue")
    func alone() async throws {
        let (granted, refused) = try await outcome(of: ["a", "a", "a"], maxWaiting: 2)
        #expect(granted == ["a", "a"])
        #expect(refused == ["a"])
    }

    @Test("a key that comes takes slots of the one with most until both have the same")
    func displaced() async throws {
        let (granted, refused) = try await outcome(of: ["a", "a", "a", "a", "b", "b", "b"], maxWaiting: 4)
        #expect(granted == ["a", "b", "a", "b"])
        #expect(refused == ["a", "a", "b"])
    }

    @Test("keys with one request each do not push each other out")
    func equals() async throws {
        let (granted, refused) = try await outcome(of: ["a", "b", "c"], maxWaiting: 2)
        #expect(granted == ["a", "b"])
        #expect(refused == ["c"])
    }

    @Test("the exempt key always waits, takes no slot, and gets a permit in its round")
    func exempt() async throws {
        let keys = ["a", "a", "m", "m", "m", "a", "b"]
        let (granted, refused) = try await outcome(of: keys, maxWaiting: 2, exempt: "m")
        #expect(granted == ["a", "m", "b", "m", "m"])
        #expect(refused == ["a", "a"])
    }

    @Test("the queue is full while no permit is free and no further key can wait")
    func full() async throws {
        let permits = FairPermits<String>(1, maxWaiting: 1)
        try await permits.take(for: "held")
        #expect(!permits.isFull)
        let waiting = Task { try await permits.take(for: "waiting") }
        while permits.waitingCount < 1 { await Task.yield() }
        #expect(permits.isFull)
        permits.giveBack()
        try await waiting.value
        #expect(!permits.isFull)
    }

    @Test("a queue without slots is full while no permit is free")
    func fullWithoutSlots() async throws {
        let permits = FairPermits<String>(1, maxWaiting: 0)
        #expect(!permits.isFull)
        try await permits.take(for: "held")
        #expect(permits.isFull)
        permits.giveBack()
        #expect(!permits.isFull)
    }

    @Test("a request that is cancelled while it waits gives its slot back")
    func cancelled() async throws {
        let permits = FairPermits<String>(1, maxWaiting: 1)
        try await permits.take(for: "held")
        for _ in 0..<3 {
            let waiting = Task { try await permits.take(for: "a") }
            while permits.waitingCount == 0 { await Task.yield() }
            await #expect(throws: PermitsRefused.self) { try await permits.take(for: "b") }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }
}

/// Keys in the order in which something happened to their requests.
private final class Keys: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func append(_ key: String) {
        list.withLock { $0.append(key) }
    }
}
