import Support
import Synchronization
import Testing

@testable import Domain

@Suite(.timeLimit(.minutes(5))) struct QueryAdmissionTests {
    private let budget = QueryBudget(seconds: 60)

    private func admission(perCaller: Int = 64) -> QueryAdmission {
        QueryAdmission(limits: QueryAdmission.Limits(readers: 2, slice: 1, perCaller: perCaller))
    }

    /// Works until the condition holds, as a query does: within the budget.
    private func work(_ budget: QueryBudget, until isDone: () -> Bool) throws {
        try budget.counting {
            while !isDone() { try budget.check() }
        }
    }

    @Test("a query that is done within its slice runs once")
    func quick() async throws {
        let runs = Counter()
        try await admission().run(as: .master, within: budget) {
            _ = runs.next()
            try work(budget) { true }
        }
        #expect(runs.value == 1)
    }

    @Test("a query that takes longer goes on in the slow lane if that is free and nothing else runs")
    func slow() async throws {
        let runs = Counter()
        let looks = Counter()
        try await admission().run(as: .master, within: budget) {
            _ = runs.next()
            // Far more looks than a slice of a millisecond has time for.
            try work(budget) { looks.next() > 1_000_000 }
        }
        #expect(runs.value == 1)
    }

    @Test("while one slow query runs, another gives its connection back, and quick ones pass")
    func yields() async throws {
        let admission = admission()
        let released = Counter()
        let started = [Counter(), Counter()]
        try await withThrowingTaskGroup { group in
            for index in 0..<2 {
                group.addTask {
                    let budget = QueryBudget(seconds: 60)
                    try await admission.run(as: .guest(address: "slow \(index)"), within: budget) {
                        _ = started[index].next()
                        try work(budget) { released.value > 0 }
                    }
                }
            }
            // Both began, and one of them is in the slow lane: the quick lane has one permit only.
            while started.contains(where: { $0.value == 0 }) { await Task.yield() }
            try await admission.run(as: .guest(address: "quick"), within: budget) { try work(budget) { true } }
            _ = released.next()
            try await group.waitForAll()
        }
        #expect(started.map(\.value).sorted() == [1, 2])
    }

    @Test("a query that takes longer begins again as a slow one while another runs")
    func beginsAgain() async throws {
        // Three readers: two quick queries at a time.
        let admission = QueryAdmission(limits: QueryAdmission.Limits(readers: 3, slice: 1))
        let budget = QueryBudget(seconds: 60)
        let runs = Mutex<[Bool]>([])
        let other = QueryBudget(seconds: 60)
        try await admission.run(as: .guest(address: "quick"), within: other) {
            try await admission.run(as: .guest(address: "slow"), within: budget) {
                let isFirst = runs.withLock { runs in
                    runs.append(budget.isSlow)
                    return runs.count == 1
                }
                try work(budget) { !isFirst }
            }
        }
        #expect(runs.withLock { $0 } == [false, true])
        #expect(!other.isSlow)
    }

    @Test("a slow query ends when its caller goes, wherever it runs", arguments: [true, false])
    func callerGoes(isAlone: Bool) async throws {
        let admission = QueryAdmission(limits: QueryAdmission.Limits(readers: 3, slice: 1))
        let presence = LeavingCaller()
        let budget = QueryBudget(seconds: 60, presence: presence)
        let slow = {
            _ = await #expect(throws: CancellationError.self) {
                try await admission.run(as: .guest(address: "slow"), within: budget) { try work(budget) { false } }
            }
        }
        if isAlone {
            await slow()
        } else {
            try await admission.run(as: .guest(address: "quick"), within: QueryBudget(seconds: 60)) { await slow() }
        }
        #expect(presence.isForgotten)
    }

    @Test("the caller of a query that is done within its slice is not watched")
    func callerOfQuickQuery() async throws {
        let presence = LeavingCaller()
        let budget = QueryBudget(seconds: 60, presence: presence)
        let admission = QueryAdmission(limits: QueryAdmission.Limits(slice: 60_000))
        try await admission.run(as: .master, within: budget) { try work(budget) { true } }
        #expect(!presence.wasWatched)
    }

    @Test("a caller's queries are bounded in number, those of others are not affected")
    func perCaller() async throws {
        let admission = admission(perCaller: 1)
        let budget = budget
        try await admission.run(as: .guest(address: "a"), within: budget) {
            let error = await #expect(throws: ServiceError.self) {
                try await admission.run(as: .guest(address: "a"), within: budget) {}
            }
            #expect(error?.code == .overloaded)
            #expect(error?.message.contains("queries.maxConcurrent") == true)
        }
        try await admission.run(as: .guest(address: "a"), within: budget) {}
    }
}

@Suite(.timeLimit(.minutes(5))) struct FairPermitsTests {
    @Test("permits go to callers in rounds, whatever number of requests each has")
    func rounds() async throws {
        let permits = FairPermits<String>(1)
        let order = Order()
        try await permits.take(for: "first")
        try await withThrowingTaskGroup { group in
            for (index, key) in ["a", "a", "a", "b", "c"].enumerated() {
                group.addTask {
                    try await permits.take(for: key)
                    order.append(key)
                    permits.giveBack()
                }
                while permits.waitingCount <= index { await Task.yield() }
            }
            permits.giveBack()
            try await group.waitForAll()
        }
        #expect(order.keys == ["a", "b", "c", "a", "a"])
    }

    @Test("a request that is cancelled while it waits takes no permit")
    func cancelled() async throws {
        let permits = FairPermits<String>(1)
        try await permits.take(for: "a")
        let waiting = Task { try await permits.take(for: "b") }
        while permits.waitingCount == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        permits.giveBack()
        #expect(permits.takeFree())
        #expect(!permits.takeFree())
    }
}

/// A caller who goes as soon as it is watched.
private final class LeavingCaller: CallerPresence {
    private let state = Mutex((watched: false, forgotten: false))

    var wasWatched: Bool { state.withLock(\.watched) }
    var isForgotten: Bool { state.withLock(\.forgotten) }

    func watch(_ gone: @escaping @Sendable () -> Void) {
        state.withLock { $0.watched = true }
        gone()
    }

    func unwatch() {
        state.withLock { $0.forgotten = true }
    }
}

/// The keys that got a permit, in order.
private final class Order: Sendable {
    private let list = Mutex<[String]>([])

    var keys: [String] { list.withLock { $0 } }

    func append(_ key: String) {
        list.withLock { $0.append(key) }
    }
}
