import Support
import Testing

@testable import Domain

/// Who may run when there are few workers and little memory (docs/image-options.md, section 10).
@Suite struct ImageAdmissionTests {
    private let log = Log()

    /// A job that has begun, or waits, when this returns; once it runs, it ends when its gate opens.
    private func start(
        _ name: String,
        memory: Int = 1,
        from requester: ImageRequester = ImageRequester(),
        on admission: ImageAdmission,
        until gate: Gate
    ) -> Task<Void, any Error> {
        Task.immediate { [log] in
            try await admission.admit(for: requester) { permit in
                try await permit.run(ImageCost(memory: memory)) {
                    log.add(name)
                    await gate.wait()
                }
            }
        }
    }

    private func wait(for tasks: [Task<Void, any Error>]) async throws {
        for task in tasks { try await task.value }
    }

    @Test("a job's result and its error are those of the work")
    func results() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 0)
        let result = try await admission.admit { permit in try await permit.run(ImageCost(memory: 10)) { "result" } }
        #expect(result == "result")
        await #expect(throws: Broken.self) { try await admission.admit { _ in throw Broken() } }
    }

    @Test("as many jobs run as there are workers, the others wait")
    func workers() async throws {
        let admission = ImageAdmission(workers: 2, memory: 100, queue: 1)
        let gates = [Gate(), Gate(), Gate()]
        let tasks = gates.enumerated().map { start("\($0)", on: admission, until: $1) }
        #expect(log.lines == ["0", "1"])
        gates[1].open()
        try await tasks[1].value
        gates[0].open()
        gates[2].open()
        try await wait(for: tasks)
        #expect(log.lines == ["0", "1", "2"])
    }

    @Test(
        "a new requester is refused while all permits have other holders, but not while one of them has two",
        arguments: [(["a"], false), (["a", "b", "c"], true), (["a", "b", "b"], false), (["a", "a", "b"], false)]
    )
    func newRequesters(addresses: [String], isRefused: Bool) async throws {
        let admission = ImageAdmission(workers: 1, memory: 100, queue: 2)
        let gate = Gate()
        let tasks = addresses.enumerated().map { number, address in
            start("job", from: ImageRequester(address: address, file: "\(number)"), on: admission, until: gate)
        }
        #expect(admission.refusesNewRequesters == isRefused)
        gate.open()
        try await wait(for: tasks)
        #expect(!admission.refusesNewRequesters)
    }

    @Test("jobs run that fit into the memory together, the others wait")
    func memory() async throws {
        let admission = ImageAdmission(workers: 9, memory: 10, queue: 0)
        let gates = [Gate(), Gate(), Gate()]
        let tasks = [
            start("six", memory: 6, on: admission, until: gates[0]),
            start("four", memory: 4, on: admission, until: gates[1]),
            start("one", memory: 1, on: admission, until: gates[2]),
        ]
        #expect(log.lines == ["six", "four"])
        for gate in gates { gate.open() }
        try await wait(for: tasks)
        #expect(log.lines == ["six", "four", "one"])
    }

    @Test("a large job is not overtaken by small ones that would fit")
    func order() async throws {
        let admission = ImageAdmission(workers: 9, memory: 10, queue: 0)
        let gates = [Gate(), Gate(), Gate()]
        let tasks = [
            start("running", memory: 5, on: admission, until: gates[0]),
            start("large", memory: 10, on: admission, until: gates[1]),
            start("small", memory: 1, on: admission, until: gates[2]),
        ]
        #expect(log.lines == ["running"])
        for gate in gates { gate.open() }
        try await wait(for: tasks)
        #expect(log.lines == ["running", "large", "small"])
    }

    @Test("one more than run and wait is refused at once, and gets a permit again afterwards")
    func permits() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 1)
        let gate = Gate()
        let tasks = [start("0", on: admission, until: gate), start("1", on: admission, until: gate)]
        await expectFailure(.overloaded) { try await admission.admit { _ in } }
        gate.open()
        try await wait(for: tasks)
        try await admission.admit { _ in }
    }

    @Test("a job has its permit before its cost is estimated")
    func permitBeforeEstimate() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 0)
        try await admission.admit { _ in
            await expectFailure(.overloaded) { try await admission.admit { _ in } }
        }
    }

    @Test("a job may run several works, one after the other")
    func severalWorks() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 0)
        let sum = try await admission.admit { permit in
            let first = try await permit.run(ImageCost(memory: 10)) { 1 }
            return try await first + permit.run(ImageCost(memory: 10)) { 2 }
        }
        #expect(sum == 3)
    }

    @Test("work that alone takes more than there is is refused, and says how much")
    func tooExpensive() async throws {
        let admission = ImageAdmission(workers: 1, memory: 512 << 20, queue: 0)
        let error = await #expect(throws: ServiceError.self) {
            try await admission.admit { permit in try await permit.run(ImageCost(memory: 600 << 20)) {} }
        }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("600 MB") == true)
        #expect(error?.message.contains("512 MB (images.memory)") == true)
        try await admission.admit { permit in try await permit.run(ImageCost(memory: 512 << 20)) {} }
    }

    @Test("worker, memory and permit are free again when the work throws")
    func throwing() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 0)
        for _ in 0..<3 {
            await #expect(throws: Broken.self) {
                try await admission.admit { permit in try await permit.run(ImageCost(memory: 10)) { throw Broken() } }
            }
        }
        try await admission.admit { permit in try await permit.run(ImageCost(memory: 10)) {} }
    }

    @Test("a job that is cancelled while it waits never runs, and releases its permit")
    func cancelled() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 1)
        let gate = Gate()
        let running = start("running", on: admission, until: gate)
        let waiting = start("waiting", on: admission, until: gate)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let next = start("next", on: admission, until: gate)
        gate.open()
        try await wait(for: [running, next])
        #expect(log.lines == ["running", "next"])
    }

    @Test("when a large job in front gives up, the small ones behind it begin")
    func cancelledFront() async throws {
        let admission = ImageAdmission(workers: 9, memory: 10, queue: 0)
        let gate = Gate()
        let running = start("running", memory: 5, on: admission, until: gate)
        let large = start("large", memory: 10, on: admission, until: Gate())
        let begun = Gate()
        let small = Task.immediate {
            try await admission.admit { permit in
                try await permit.run(ImageCost(memory: 5)) { begun.open() }
            }
        }
        large.cancel()
        // The running one still runs: only the one in front was in the way.
        await begun.wait()
        try await small.value
        gate.open()
        try await running.value
        #expect(log.lines == ["running"])
    }

    @Test("a job that is cancelled before it waits never runs")
    func cancelledBefore() async throws {
        let admission = ImageAdmission(workers: 1, memory: 10, queue: 0)
        let task = Task.immediate { [log] in
            await Gate().wait()
            try await admission.admit { permit in try await permit.run(ImageCost(memory: 1)) { log.add("ran") } }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines.isEmpty)
        try await admission.admit { permit in try await permit.run(ImageCost(memory: 10)) {} }
    }

    @Test("many jobs that come, fail and give up leave everything free")
    func many() async throws {
        let admission = ImageAdmission(workers: 3, memory: 10, queue: 500)
        let running = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                let task = Task {
                    try await admission.admit { permit in
                        try await permit.run(ImageCost(memory: number % 11)) {
                            _ = running.next()
                            await Task.yield()
                            if number % 3 == 0 { throw Broken() }
                        }
                    }
                }
                if number % 5 == 0 { task.cancel() }
                group.addTask { _ = await task.result }
            }
        }
        #expect(running.value >= 240)
        let gates = [Gate(), Gate(), Gate()]
        let tasks = gates.map { start("last", memory: 3, on: admission, until: $0) }
        #expect(log.lines.count == 3)
        for gate in gates { gate.open() }
        try await wait(for: tasks)
    }
}

extension ImageAdmission.Permit {
    /// Runs work that has the same priority whatever it is.
    func run<Result: Sendable>(
        _ cost: ImageCost,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await run(cost) { _ in try await work() }
    }
}
