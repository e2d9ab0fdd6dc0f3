import Support
import Synchronization
import Testing

@testable import Domain

@Suite struct PreemptiveLocksTests {
    private let locks = PreemptiveLocks<Int>()
    private let log = Log()

    /// A lock that has begun and lasts until it is stopped.
    private func hold(_ key: Int) async -> Task<Void, any Error> {
        let begun = Gate()
        let task = Task { [locks] in
            try await locks.withLock(of: key) {
                begun.open()
                await Gate().wait()
                try Task.checkCancellation()
            }
        }
        await begun.wait()
        return task
    }

    @Test("a body's result and its error are those of the lock")
    func results() async throws {
        let result = try await locks.withLock(of: 1) { "result" }
        let whole = try await locks.withAllLocks { "whole" }
        #expect(result == "result")
        #expect(whole == "whole")
        await #expect(throws: Broken.self) { try await locks.withLock(of: 1) { throw Broken() } }
        await #expect(throws: Broken.self) { try await locks.withAllLocks { throw Broken() } }
    }

    @Test("the newest task gets the lock, and the previous one learns that it lost it")
    func newestWins() async throws {
        let older = await hold(1)
        let newer = try await locks.withLock(of: 1) { "newer" }
        #expect(newer == "newer")
        await expectFailure(.superseded) { try await older.value }
    }

    @Test("a lock with one key stops none with another")
    func otherKeys() async throws {
        let begun = Gate()
        let mayEnd = Gate()
        let first = Task { [locks] in
            try await locks.withLock(of: 1) {
                begun.open()
                await mayEnd.wait()
                try Task.checkCancellation()
                return "first"
            }
        }
        await begun.wait()
        let second = try await locks.withLock(of: 2) { "second" }
        mayEnd.open()
        let result = try await first.value
        #expect(second == "second")
        #expect(result == "first")
    }

    @Test("the newer lock begins when the older one has cleaned up, not before")
    func cleanUp() async throws {
        let begun = Gate()
        let stopped = Gate()
        let mayEnd = Gate()
        let older = Task { [locks, log] in
            try await locks.withLock(of: 1) {
                begun.open()
                await Gate().wait()
                stopped.open()
                // What a lock puts in order must not be cut off by its end.
                await Task { await mayEnd.wait() }.value
                log.add("cleaned up")
            }
        }
        await begun.wait()
        let newer = Task { [locks, log] in
            try await locks.withLock(of: 1) { log.add("newer") }
        }
        await stopped.wait()
        log.add("still cleaning up")
        mayEnd.open()
        try await newer.value
        _ = await older.result
        #expect(log.lines == ["still cleaning up", "cleaned up", "newer"])
    }

    @Test("of those who wait for a lock only the last gets it")
    func lastOfMany() async throws {
        let mayEnd = Gate()
        let whole = Task.immediate { [locks] in
            try await locks.withAllLocks { await mayEnd.wait() }
        }
        var waiting: [Task<Void, any Error>] = []
        for _ in 1...4 {
            waiting.append(
                Task.immediate { [locks, log] in
                    try await locks.withLock(of: 1) {
                        await Gate().wait()
                        try Task.checkCancellation()
                        log.add("overtaken")
                    }
                }
            )
        }
        let last = Task.immediate { [locks, log] in
            try await locks.withLock(of: 1) { log.add("last") }
        }
        mayEnd.open()
        try await whole.value
        for task in waiting { await expectFailure(.superseded) { try await task.value } }
        try await last.value
        #expect(log.lines == ["last"])
    }

    @Test("taking all locks stops their holders, and waits for each")
    func allStops() async throws {
        let holders = [await hold(1), await hold(2)]
        try await locks.withAllLocks { [log] in log.add("whole") }
        for holder in holders { await expectFailure(.superseded) { try await holder.value } }
        #expect(log.lines == ["whole"])
    }

    @Test("the lock of all keys begins when each one stopped has cleaned up")
    func allWaits() async throws {
        let begun = Gate()
        let stopped = Gate()
        let mayEnd = Gate()
        let older = Task { [locks, log] in
            try await locks.withLock(of: 1) {
                begun.open()
                await Gate().wait()
                stopped.open()
                await Task { await mayEnd.wait() }.value
                log.add("cleaned up")
            }
        }
        await begun.wait()
        let whole = Task { [locks, log] in
            try await locks.withAllLocks { log.add("whole") }
        }
        await stopped.wait()
        mayEnd.open()
        try await whole.value
        _ = await older.result
        #expect(log.lines == ["cleaned up", "whole"])
    }

    @Test("a task that comes while all locks are held waits, and does not stop the holder")
    func allIsNotStopped() async throws {
        let mayEnd = Gate()
        let whole = Task.immediate { [locks, log] in
            try await locks.withAllLocks {
                await mayEnd.wait()
                try Task.checkCancellation()
                log.add("whole")
            }
        }
        let one = Task.immediate { [locks, log] in
            try await locks.withLock(of: 1) { log.add("one") }
        }
        let next = Task.immediate { [locks, log] in
            try await locks.withAllLocks { log.add("next") }
        }
        mayEnd.open()
        try await whole.value
        _ = await one.result
        try await next.value
        #expect(log.lines.first == "whole")
        #expect(log.lines.last == "next")
    }

    @Test("a cancelled holder ends with its cancellation, not with the loss of the lock")
    func cancelled() async throws {
        let holder = await hold(1)
        holder.cancel()
        await #expect(throws: CancellationError.self) { try await holder.value }
    }

    @Test("a task that is cancelled while it waits ends when it gets the lock")
    func cancelledWaiting() async throws {
        let mayEnd = Gate()
        let whole = Task.immediate { [locks] in
            try await locks.withAllLocks { await mayEnd.wait() }
        }
        let waiting = Task.immediate { [locks] in
            try await locks.withLock(of: 1) {
                await Gate().wait()
                try Task.checkCancellation()
            }
        }
        waiting.cancel()
        mayEnd.open()
        try await whole.value
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("no lock is held before the first task and after the last")
    func idle() async throws {
        #expect(locks.areFree)
        let holder = await hold(1)
        #expect(!locks.areFree)
        try await locks.withLock(of: 1) {}
        _ = await holder.result
        #expect(locks.areFree)
        try await locks.withAllLocks { [locks] in #expect(!locks.areFree) }
        #expect(locks.areFree)
    }
}

/// What one task waits for and another one opens; the end of the waiting task opens it as well.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation

    init() {
        let made = AsyncStream.makeStream(of: Void.self)
        stream = made.stream
        opener = made.continuation
    }

    func open() {
        opener.finish()
    }

    func wait() async {
        for await _ in stream {}
    }
}

/// What happened, in order.
final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock(\.self) }

    func add(_ line: String) {
        entries.withLock { $0.append(line) }
    }
}
