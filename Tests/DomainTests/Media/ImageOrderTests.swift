import Support
import Synchronization
import Testing

@testable import Domain

/// Which image job is next, and whose permits go to others (docs/security.md, "Order of image jobs").
@Suite struct ImageOrderTests {
    private let log = Log()
    private let clock = ManualClock()

    /// A clock that stands still until a test moves it.
    private final class ManualClock: Sendable {
        private let instant = Mutex(ContinuousClock.Instant.now)

        func now() -> ContinuousClock.Instant { instant.withLock(\.self) }

        func advance(by duration: Duration) { instant.withLock { $0 += duration } }
    }

    /// How many jobs run, and how many did at most.
    private final class Active: Sendable {
        private let count = Mutex((now: 0, most: 0))

        var most: Int { count.withLock(\.most) }

        func begin() -> Int {
            count.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
                return count.now
            }
        }

        func end() { count.withLock { $0.now -= 1 } }
    }

    private func admission(
        workers: Int = 1,
        queue: Int = 20,
        _ change: (inout ImageAdmission.Limits) -> Void = { _ in }
    ) -> ImageAdmission {
        var limits = ImageAdmission.Limits(workers: workers, memory: 100, queue: queue)
        change(&limits)
        return ImageAdmission(limits) { [clock] in clock.now() }
    }

    /// A job that has begun, or waits, when this returns; once it runs, it ends when its gate opens.
    private func start(
        _ name: String,
        milliseconds: Int = 1000,
        memory: Int = 1,
        for requester: ImageRequester = ImageRequester(),
        on admission: ImageAdmission,
        until gate: Gate
    ) -> Task<Void, any Error> {
        Task.immediate { [log] in
            try await admission.admit(for: requester) { permit in
                try await permit.run(ImageCost(memory: memory, time: .milliseconds(milliseconds))) {
                    log.add(name)
                    await gate.wait()
                }
            }
        }
    }

    private func end(_ tasks: [Task<Void, any Error>], _ gate: Gate) async throws {
        gate.open()
        for task in tasks { try await task.value }
    }

    /// Two requesters of each kind.
    static let pairs: [(ImageRequester, ImageRequester)] = [
        (ImageRequester(app: AppID("one")), ImageRequester(app: AppID("two"))),
        (ImageRequester(address: "192.0.2.1"), ImageRequester(address: "192.0.2.2")),
        (ImageRequester(file: "a.jpg"), ImageRequester(file: "b.jpg")),
        // Behind a proxy all have one address, and most servers have one app.
        (
            ImageRequester(app: AppID("one"), address: "127.0.0.1", file: "a.jpg"),
            ImageRequester(app: AppID("one"), address: "127.0.0.1", file: "b.jpg")
        ),
    ]

    // MARK: Shortest first

    @Test("a cheap job overtakes those that cost more")
    func cheapFirst() async throws {
        let (admission, gate) = (admission(), Gate())
        let tasks = [("running", 10), ("9 s", 9000), ("2 s", 2000), ("50 ms", 50), ("5 s", 5000)].map {
            start($0.0, milliseconds: $0.1, on: admission, until: gate)
        }
        try await end(tasks, gate)
        #expect(log.lines == ["running", "50 ms", "2 s", "5 s", "9 s"])
    }

    @Test("jobs of equal cost run in the order in which they came")
    func equal() async throws {
        let (admission, gate) = (admission(), Gate())
        let tasks = (0..<6).map { start("\($0)", on: admission, until: gate) }
        try await end(tasks, gate)
        #expect(log.lines == ["0", "1", "2", "3", "4", "5"])
    }

    @Test("a job that waited for long is not overtaken any more")
    func ageing() async throws {
        let (admission, gate) = (admission(), Gate())
        var tasks = [start("running", on: admission, until: gate)]
        tasks.append(start("long", milliseconds: 5000, on: admission, until: gate))
        clock.advance(by: .seconds(60))
        tasks.append(start("short", milliseconds: 100, on: admission, until: gate))
        clock.advance(by: .seconds(100))
        tasks.append(start("late", milliseconds: 100, on: admission, until: gate))
        try await end(tasks, gate)
        #expect(log.lines == ["running", "short", "long", "late"])
    }

    // MARK: Lanes

    @Test("a cheap job runs beside expensive ones, which get no lane")
    func lane() async throws {
        let admission = admission(workers: 2) { $0.lanes = 1 }
        let gate = Gate()
        let tasks = ["0", "1", "2"].map { start($0, milliseconds: 9000, on: admission, until: gate) }
        let cheap = start("cheap", milliseconds: 500, on: admission, until: Gate.opened())
        #expect(log.lines == ["0", "1", "cheap"])
        try await cheap.value
        #expect(log.lines == ["0", "1", "cheap"])
        try await end(tasks, gate)
    }

    @Test("a lane has memory of its own: a job that waits for memory does not hold it up, nor does it take that memory")
    func laneMemory() async throws {
        let admission = admission(workers: 9) { $0.lanes = 1 }
        let gate = Gate()
        let tasks = [
            start("running", memory: 60, on: admission, until: gate),
            start("large", milliseconds: 1, memory: 100, on: admission, until: gate),
            start("too large for a lane", milliseconds: 2, memory: 26, on: admission, until: gate),
            start("cheap", milliseconds: 3, memory: 25, on: admission, until: gate),
        ]
        #expect(log.lines == ["running", "cheap"])
        try await end(tasks, gate)
        #expect(log.lines == ["running", "cheap", "large", "too large for a lane"])
    }

    @Test("a job that is slower than a cheap one leaves its lane; one that is much slower costs its file the lanes")
    func overrun() async throws {
        let admission = admission {
            $0.lanes = 1
            $0.overruns = 1
            $0.laneTime = .milliseconds(1)
        }
        let (gate, end, begun, next) = (Gate(), Gate(), Gate(), Gate())
        let file = ImageRequester(file: "bomb.jpg")
        let expensive = start("expensive", milliseconds: 9000, on: admission, until: gate)
        let bomb = start("bomb", milliseconds: 10, for: file, on: admission, until: end)
        #expect(log.lines == ["expensive", "bomb"])
        let cheap = Task.immediate {
            try await admission.admit { permit in
                try await permit.run(ImageCost(memory: 1, time: .milliseconds(20))) {
                    begun.open()
                    await next.wait()
                }
            }
        }
        await begun.wait()
        clock.advance(by: .seconds(6))
        end.open()
        try await bomb.value
        next.open()
        try await cheap.value
        let again = start("bomb again", milliseconds: 10, for: file, on: admission, until: gate)
        try await start("another", milliseconds: 10, on: admission, until: Gate.opened()).value
        #expect(log.lines == ["expensive", "bomb", "another"])
        try await self.end([expensive, again], gate)
    }

    @Test("never more jobs run than there are threads for, those that left a lane among them")
    func overruns() async throws {
        let admission = admission(queue: 60) {
            $0.lanes = 1
            $0.overruns = 2
            $0.laneTime = .milliseconds(1)
        }
        let gate = Gate()
        let active = Active()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await admission.admit { permit in
                        try await permit.run(ImageCost(memory: 1, time: .milliseconds(20))) {
                            if active.begin() == 4 { gate.open() }
                            await gate.wait()
                            active.end()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(active.most == 4)
    }

    // MARK: Shares

    @Test("a requester with much recent work is ranked behind one with little", arguments: pairs)
    func shares(greedy: ImageRequester, modest: ImageRequester) async throws {
        let (admission, gate) = (admission(), Gate())
        var tasks = [start("running", milliseconds: 5000, for: greedy, on: admission, until: gate)]
        tasks += (0..<3).map { start("greedy \($0)", milliseconds: 1000, for: greedy, on: admission, until: gate) }
        tasks += (0..<2).map { start("modest \($0)", milliseconds: 1500, for: modest, on: admission, until: gate) }
        try await end(tasks, gate)
        #expect(log.lines == ["running", "modest 0", "modest 1", "greedy 0", "greedy 1", "greedy 2"])
    }

    @Test("what took longer than its estimate counts as long as it took")
    func excess() async throws {
        let (greedy, modest) = ImageOrderTests.pairs[1]
        let (admission, gate, first) = (admission(), Gate(), Gate())
        let running = start("running", milliseconds: 10, for: greedy, on: admission, until: first)
        let tasks = [
            start("greedy", milliseconds: 100, for: greedy, on: admission, until: gate),
            start("modest", milliseconds: 200, for: modest, on: admission, until: gate),
        ]
        clock.advance(by: .seconds(3))
        try await end([running], first)
        try await end(tasks, gate)
        #expect(log.lines == ["running", "modest", "greedy"])
    }

    @Test("recent work is forgotten")
    func forgetting() async throws {
        let (greedy, modest) = ImageOrderTests.pairs[1]
        let admission = admission()
        try await end([start("much", milliseconds: 9000, for: greedy, on: admission, until: Gate.opened())], Gate())
        clock.advance(by: .seconds(300))
        let gate = Gate()
        let tasks =
            [start("running", on: admission, until: gate)] + [
                start("greedy", milliseconds: 100, for: greedy, on: admission, until: gate),
                start("modest", milliseconds: 150, for: modest, on: admission, until: gate),
            ]
        try await end(tasks, gate)
        #expect(log.lines == ["much", "running", "greedy", "modest"])
    }

    // MARK: Permits

    @Test(
        "a full queue admits a requester that has less of it, and refuses the last job of the one that has most",
        arguments: pairs
    )
    func permits(greedy: ImageRequester, modest: ImageRequester) async throws {
        let (admission, gate) = (admission(queue: 3), Gate())
        var tasks = [1000, 2000, 9000, 3000].map {
            start("greedy \($0)", milliseconds: $0, for: greedy, on: admission, until: gate)
        }
        await expectFailure(.overloaded) { try await admission.admit(for: greedy) { _ in } }
        let admitted = start("modest", milliseconds: 500, for: modest, on: admission, until: gate)
        // The one that would have run last.
        let last = tasks.remove(at: 2)
        await expectFailure(.overloaded) { try await last.value }
        try await end(tasks + [admitted], gate)
        #expect(log.lines == ["greedy 1000", "modest", "greedy 2000", "greedy 3000"])
    }

    @Test("between equals the newcomer is refused", arguments: pairs)
    func fairPermits(one: ImageRequester, two: ImageRequester) async throws {
        let (admission, gate) = (admission(queue: 3), Gate())
        let tasks = [one, two, one, two].map { start("", for: $0, on: admission, until: gate) }
        await expectFailure(.overloaded) { try await admission.admit(for: one) { _ in } }
        await expectFailure(.overloaded) { try await admission.admit(for: two) { _ in } }
        try await end(tasks, gate)
    }

    @Test("thousands of requesters leave nothing behind")
    func manyRequesters() async throws {
        let admission = admission()
        for number in 0..<10_000 {
            let requester = ImageRequester(address: "\(number)", file: "\(number)")
            try await admission.admit(for: requester) { permit in
                try await permit.run(ImageCost(memory: 1, time: .seconds(1))) {}
            }
            clock.advance(by: .seconds(1))
        }
        #expect(admission.shareCount < 5000)
    }
}

extension Gate {
    fileprivate static func opened() -> Gate {
        let gate = Gate()
        gate.open()
        return gate
    }
}
