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

    @Test(
        "a new key is refused while each slot has another key, but not while one key has two slots",
        arguments: [
            ([], false), (["a"], false), (["a", "b"], true), (["a", "a"], false), (["a", "master"], false),
            (["a", "b", "master", "master"], true),
        ]
    )
    func newKeys(waiting: [String], isRefused: Bool) async throws {
        let permits = FairPermits<String>(1, maxWaiting: 2, exempt: "master")
        try await permits.take(for: "held")
        let tasks = waiting.map { key in Task.immediate { try await permits.take(for: key) } }
        #expect(permits.waitingCount == waiting.count)
        #expect(permits.refusesNewKeys == isRefused)
        for task in tasks {
            permits.giveBack()
            try await task.value
        }
        #expect(!permits.refusesNewKeys)
    }

    @Test("without slots, a new key is refused while no permit is free")
    func newKeysWithoutSlots() async throws {
        let permits = FairPermits<String>(1, maxWaiting: 0)
        #expect(!permits.refusesNewKeys)
        try await permits.take(for: "held")
        #expect(permits.refusesNewKeys)
        permits.giveBack()
        #expect(!permits.refusesNewKeys)
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
