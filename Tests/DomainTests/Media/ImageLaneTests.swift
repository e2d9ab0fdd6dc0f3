import Support
import Synchronization
import Testing

@testable import Domain

/// What cheap jobs run with, and what becomes of those that are not (docs/security.md, "Order of image jobs").
@Suite(.timeLimit(.minutes(5))) struct ImageLaneTests {
    private let log = Log()
    private let instant = ContinuousClock.Instant.now

    /// One worker and one lane, which a job leaves after a millisecond; time stands still otherwise.
    private func admission(overruns: Int = 0, laneTime: Duration = .milliseconds(1)) -> ImageAdmission {
        var limits = ImageAdmission.Limits(workers: 1, memory: 100, queue: 20)
        limits.lanes = 1
        limits.overruns = overruns
        limits.laneTime = laneTime
        return ImageAdmission(limits) { [instant] in instant }
    }

    /// A job that has begun, or waits, when this returns; it logs its name and priority.
    private func start(
        _ name: String,
        milliseconds: Int,
        for requester: ImageRequester = ImageRequester(),
        atMost priority: ImagePriority = .normal,
        on admission: ImageAdmission,
        _ work: @escaping @Sendable (ImagePriority) async throws -> Void = { _ in }
    ) -> Task<Void, any Error> {
        Task.immediate { [log] in
            try await admission.admit(for: requester) { permit in
                let cost = ImageCost(memory: 1, time: .milliseconds(milliseconds))
                try await permit.run(cost, atMost: priority) { priority in
                    log.add("\(name) \(priority)")
                    try await work(priority)
                }
            }
        }
    }

    /// Work that ends only when it is stopped, while it has a lane; afterwards at once.
    @Sendable private static func endless(_ priority: ImagePriority) async throws {
        guard priority == .normal else { return }
        await Gate().wait()
        try Task.checkCancellation()
    }

    private func wait(_ gate: Gate) -> @Sendable (ImagePriority) async throws -> Void {
        { _ in await gate.wait() }
    }

    /// Waits for a gate in a task that is never cancelled.
    private static func waitUncancelled(for gate: Gate) async {
        await Task { await gate.wait() }.value
    }

    // MARK: Slots and priorities

    @Test("a cheap job takes a free lane before a free worker")
    func laneFirst() async throws {
        let (admission, gate) = (admission(laneTime: .seconds(100)), Gate())
        let tasks = [
            start("cheap", milliseconds: 10, on: admission, wait(gate)),
            start("expensive", milliseconds: 9000, on: admission, wait(gate)),
        ]
        #expect(log.lines == ["cheap normal", "expensive low"])
        gate.open()
        for task in tasks { try await task.value }
    }

    @Test("a cheap job has normal priority on a worker, too")
    func cheapOnWorker() async throws {
        let (admission, gate) = (admission(laneTime: .seconds(100)), Gate())
        let tasks = (0..<2).map { start("\($0)", milliseconds: 500, on: admission, wait(gate)) }
        #expect(log.lines == ["0 normal", "1 normal"])
        gate.open()
        for task in tasks { try await task.value }
    }

    @Test("a job that must not count as cheap gets no lane")
    func notCheap() async throws {
        let (admission, gate) = (admission(laneTime: .seconds(100)), Gate())
        let tasks = (0..<2).map {
            start("\($0)", milliseconds: 10, atMost: .low, on: admission, wait(gate))
        }
        #expect(log.lines == ["0 low"])
        gate.open()
        for task in tasks { try await task.value }
        #expect(log.lines == ["0 low", "1 low"])
    }

    // MARK: Jobs that are stopped

    @Test("a job that must leave its lane begins again without one, and its file gets none for a while")
    func stopped() async throws {
        let (admission, bomb) = (admission(), ImageRequester(file: "bomb.jpg"))
        try await start("bomb", milliseconds: 10, for: bomb, on: admission, ImageLaneTests.endless).value
        try await start("bomb again", milliseconds: 10, for: bomb, on: admission).value
        try await start("another", milliseconds: 10, on: admission).value
        #expect(log.lines == ["bomb normal", "bomb low", "bomb again low", "another normal"])
    }

    @Test("a job that can go on beside its lane is not stopped")
    func overrun() async throws {
        let (admission, end) = (admission(overruns: 1), Gate())
        let gate = Gate()
        let expensive = start("expensive", milliseconds: 9000, on: admission, wait(gate))
        let first = start("first", milliseconds: 10, on: admission, wait(end))
        // It begins when the first one has left the lane.
        try await start("second", milliseconds: 10, on: admission).value
        end.open()
        try await first.value
        #expect(log.lines == ["expensive low", "first normal", "second normal"])
        gate.open()
        try await expensive.value
    }

    @Test("cheap jobs go on while a stopped one waits for a worker")
    func others() async throws {
        let (admission, gate) = (admission(), Gate())
        let expensive = start("expensive", milliseconds: 9000, on: admission, wait(gate))
        let bombs = (0..<3).map { number in
            start(
                "bomb \(number)",
                milliseconds: 10,
                for: ImageRequester(file: "\(number)"),
                on: admission,
                ImageLaneTests.endless
            )
        }
        try await start("cheap", milliseconds: 20, on: admission).value
        #expect(log.lines == ["expensive low", "bomb 0 normal", "bomb 1 normal", "bomb 2 normal", "cheap normal"])
        gate.open()
        for task in bombs + [expensive] { try await task.value }
        #expect(log.lines.suffix(3).sorted() == ["bomb 0 low", "bomb 1 low", "bomb 2 low"])
    }

    @Test("both times that a job ran count for its requester's share")
    func shares() async throws {
        let (greedy, modest) = (ImageRequester(address: "192.0.2.1"), ImageRequester(address: "192.0.2.2"))
        let (admission, gate) = (admission(), Gate())
        var tasks = [start("running", milliseconds: 9000, on: admission, wait(gate))]
        tasks.append(start("bomb", milliseconds: 400, for: greedy, on: admission, ImageLaneTests.endless))
        // It waits again when it was stopped.
        while admission.waitingCount == 0 { await Task.yield() }
        tasks.append(start("greedy", milliseconds: 600, for: greedy, on: admission))
        tasks.append(start("modest", milliseconds: 1200, for: modest, on: admission))
        gate.open()
        for task in tasks { try await task.value }
        #expect(log.lines.suffix(3) == ["bomb low", "modest low", "greedy low"])
    }

    @Test("work that cannot be interrupted keeps its lane until it ends, and what it made is good")
    func uninterruptible() async throws {
        let (admission, gate, stopped, end) = (admission(), Gate(), Gate(), Gate())
        let expensive = start("expensive", milliseconds: 9000, on: admission, wait(gate))
        let encoding = start("encoding", milliseconds: 10, on: admission) { _ in
            await Gate().wait()
            stopped.open()
            await ImageLaneTests.waitUncancelled(for: end)
        }
        await stopped.wait()
        let next = start("next", milliseconds: 10, on: admission)
        #expect(log.lines == ["expensive low", "encoding normal"])
        end.open()
        try await encoding.value
        try await next.value
        #expect(log.lines == ["expensive low", "encoding normal", "next normal"])
        gate.open()
        try await expensive.value
    }

    @Test("a stopped job whose client has gone does not begin again")
    func clientGone() async throws {
        let (admission, stopped, end) = (admission(), Gate(), Gate())
        let job = start("job", milliseconds: 10, on: admission) { _ in
            await Gate().wait()
            stopped.open()
            await ImageLaneTests.waitUncancelled(for: end)
            try Task.checkCancellation()
        }
        await stopped.wait()
        job.cancel()
        end.open()
        await #expect(throws: CancellationError.self) { try await job.value }
        #expect(log.lines == ["job normal"])
        // Its slots are free.
        try await start("next", milliseconds: 10, on: admission).value
    }

    @Test("a client that leaves stops work in a lane")
    func cancelled() async throws {
        let admission = admission(laneTime: .seconds(100))
        let job = start("job", milliseconds: 10, on: admission, ImageLaneTests.endless)
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.value }
        try await start("next", milliseconds: 10, on: admission).value
        #expect(log.lines == ["job normal", "next normal"])
    }

    @Test("an error in a lane is the job's, and it does not run again")
    func failed() async throws {
        let job = start("job", milliseconds: 10, on: admission(laneTime: .seconds(100))) { _ in throw Broken() }
        await #expect(throws: Broken.self) { try await job.value }
        #expect(log.lines == ["job normal"])
    }

    @Test("those who want the same image get that of the second run")
    func singleFlight() async throws {
        let fixture = ImageServiceFixture()
        let origin = try await fixture.file()
        let hold = fixture.renderer.hold()
        var limits = ImageAdmission.Limits(workers: 1, memory: 512 << 20, queue: 20)
        limits.lanes = 1
        limits.laneTime = .milliseconds(1)
        let service = fixture.service(admission: ImageAdmission(limits))
        let requests = (0..<3).map { _ in Task { try await service.text("imageView2/2/w/20", of: origin) } }
        while fixture.renderer.jobs.count < 2 { await Task.yield() }
        hold.mayEnd.open()
        for request in requests { #expect(try await request.value == "made") }
        #expect(fixture.renderer.jobs.map(\.priority) == [.normal, .low])
    }
}
