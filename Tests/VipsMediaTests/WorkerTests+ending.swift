import Domain
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import VipsMedia

/// How workers end that do not answer with an image.
extension WorkerTests {
    @Test("what only begins like an image is none", arguments: WorkerSample.beginnings)
    func garbage(bytes: [UInt8]) async {
        let noise = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5) }
        let source = ImageSource.memory(ByteBuffer(bytes: bytes + noise))
        await expect(.notAnImage) {
            // Chance may make a header of noise, but no pixels.
            _ = try await launcher().header(of: source, with: .normal)
            _ = try await launcher().decode(source, at: ImageSize(width: 10, height: 10), until: soon)
        }
    }

    @Test("an image cut short is none", arguments: WorkerSample.all.filter { [.jxl, .jp2].contains($0.format) })
    func truncated(sample: WorkerSample) async {
        let count = sample.bytes.readableBytes
        let source = ImageSource.memory(sample.bytes.getSlice(at: 0, length: count - count / 8) ?? ByteBuffer())
        await expect(.notAnImage) { _ = try await launcher().decode(source, at: nil, until: soon) }
    }

    @Test(
        "a source beyond the limits is not drawn",
        arguments: [ImageLimits(sourceSide: 99), ImageLimits(sourcePixels: 4999)]
    )
    func tooLarge(limits: ImageLimits) async {
        await expect(.imageTooLarge) { _ = try await launcher(limits: limits).decode(svg(""), at: nil, until: soon) }
    }

    @Test("a source that takes more memory than a worker may have is too large", arguments: [100, 400])
    func memory(megabytes: Int) async {
        await expect(.imageTooLarge) {
            let size = ImageSize(width: 10, height: 10)
            _ = try await launcher(memory: megabytes << 20).decode(
                .memory(WorkerSample.largeJXL),
                at: size,
                until: soon
            )
        }
        #expect(Children.all.isEmpty)
    }

    @Test("an image that takes for ever ends at its deadline")
    func deadline() async {
        await expect(.imageTimedOut) {
            _ = try await launcher().decode(svg(WorkerSample.endless), at: nil, until: .now + .milliseconds(500))
        }
        #expect(Children.all.isEmpty)
    }

    @Test("an image that takes for ever ends with the time of a processor that it may use")
    func processorTime() async {
        await expect(.imageTimedOut) {
            let launcher = launcher(limits: ImageLimits(timeout: 1))
            _ = try await launcher.decode(svg(WorkerSample.endless), at: nil, until: soon)
        }
        #expect(Children.all.isEmpty)
    }

    @Test("a job without a waiting client ends at once, and leaves no process", .timeLimit(.minutes(5)))
    func cancelled() async throws {
        let decoding = Task { try await launcher().decode(svg(WorkerSample.endless), at: nil, until: soon) }
        while Children.all.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        decoding.cancel()
        await #expect(throws: CancellationError.self) { try await decoding.value }
        #expect(Children.all.isEmpty)
    }

    @Test("a worker at work has no rights, a filter, and its limits", .timeLimit(.minutes(5)))
    func confined() async throws {
        let launcher = launcher(memory: 300 << 20, limits: ImageLimits(timeout: 30))
        let decoding = Task { try await launcher.decode(svg(WorkerSample.endless), at: nil, until: soon) }
        var status = ""
        while !status.contains("Seccomp:\t2") {
            try Task.checkCancellation()
            await Task.yield()
            status = Children.all.first.flatMap { Children.read("status", of: $0) } ?? ""
        }
        let limits = Children.all.first.flatMap { Children.read("limits", of: $0) } ?? ""
        decoding.cancel()
        _ = await decoding.result
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("CapEff:\t0000000000000000"))
        #expect(status.contains("CapPrm:\t0000000000000000"))
        let operations = limits.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(operations.contains("Max data size \(300 << 20) \(300 << 20) bytes"))
        #expect(operations.contains("Max file size 0 0 bytes"))
        #expect(operations.contains("Max core file size 0 0 bytes"))
        #expect(operations.contains("Max cpu time 30 31 seconds"))
    }

    @Test(
        "a worker for a cheap job is less nice than others",
        .timeLimit(.minutes(5)),
        arguments: [(ImagePriority.normal, 5), (.low, 15)]
    )
    func niceness(priority: ImagePriority, niceness: Int) async throws {
        let decoding = Task {
            try await launcher().decode(svg(WorkerSample.endless), at: nil, with: priority, until: soon)
        }
        var status = ""
        var found = ""
        while !status.contains("Seccomp:\t2") {
            try Task.checkCancellation()
            await Task.yield()
            // One that reads the header comes first.
            let child = Children.all.first { Children.read("cmdline", of: $0)?.contains("draw") == true }
            status = child.flatMap { Children.read("status", of: $0) } ?? ""
            found = child.flatMap { Children.read("stat", of: $0) } ?? ""
        }
        decoding.cancel()
        _ = await decoding.result
        // The process's niceness is the 19th word, the 17th behind the name in brackets (proc_pid_stat(5)).
        let operations = found.split(separator: ")").last?.split(separator: " ") ?? []
        let own = Int(getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0))
        #expect(operations.count > 16 && Int(operations[16]) == max(own, niceness), "\(found)")
    }

    @Test("a worker ends with the server", .timeLimit(.minutes(5)))
    func orphan() async throws {
        await #expect(processExitsWith: .success) {
            let launcher = WorkerLauncher(
                executable: WorkerSample.program,
                memory: WorkerSample.unusualMemory,
                limits: ImageLimits(),
                pool: .singleton
            )
            let source = ImageSource.memory(ByteBuffer(string: WorkerSample.svg(WorkerSample.endless)))
            let end = ContinuousClock.now + .seconds(50)
            Task { _ = try? await launcher.decode(source, at: nil, until: end) }
            while !Children.all.contains(where: { Children.read("status", of: $0)?.contains("Seccomp:\t2") == true }) {
                guard .now < end else { _exit(1) }
                await Task.yield()
            }
            _exit(0)
        }
        // Dead ones have no words.
        while Children.anywhere(with: "\(WorkerSample.unusualMemory)") {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("another program's answers are not believed", arguments: ["/bin/echo", "/usr/bin/yes", "/bin/cat"])
    func otherAnswers(program: String) async {
        let launcher = WorkerLauncher(executable: program, memory: 1, limits: ImageLimits(), pool: .singleton)
        let error = await #expect(throws: ServiceError.self) { try await launcher.header(of: svg(""), with: .normal) }
        #expect([.notAnImage, .internalFailure].contains(error?.code))
        #expect(Children.all.isEmpty)
    }

    @Test("a program that is not there is our own fault, not the image's")
    func noProgram() async {
        let launcher = WorkerLauncher(executable: "/no/such/file", memory: 1, limits: ImageLimits(), pool: .singleton)
        await expect(.internalFailure) { _ = try await launcher.header(of: svg(""), with: .normal) }
    }

    func expect(_ code: ServiceError.Code, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == code, "\(String(describing: error))")
    }
}
