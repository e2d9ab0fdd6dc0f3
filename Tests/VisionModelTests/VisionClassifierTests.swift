import ClassifierMessages
import Domain
import FoundationEssentials
import Glibc
import NIOCore
import Support
import Testing

@testable import VisionModel

/// The classifier with its real program and model, and what it does when either fails.
@Suite(.serialized, .timeLimit(.minutes(5))) struct VisionClassifierTests {
    private typealias Setup = ClassifierSetup
    private typealias Timing = VisionClassifier.Timing

    @Test("scores of photographs are those of the reference program, and safe ones are far below 0.2")
    func reference() async throws {
        try await Setup.with { classifier in
            for photograph in Photograph.all {
                let scores = try await classifier.scores(of: [Setup.frame(of: photograph.bytes())])
                #expect(scores.count == 1)
                #expect(abs(scores[0] - photograph.score) < 0.02, "\(photograph)")
            }
            let rocket = try await classifier.scores(of: [Setup.frame(of: Samples.rocket())])
            #expect(rocket[0] < 0.02)
            #expect(classifier.unavailability == nil)
        }
    }

    @Test("a request has as many scores as frames, in their order, also more than a message can hold")
    func order() async throws {
        let photographs = [try Samples.rocket(), try Photograph.all[0].bytes()]
        var frames: [ByteBuffer] = []
        for photograph in photographs { frames.append(try await Setup.frame(of: photograph)) }
        try await Setup.with { [frames] classifier in
            let single = [
                try await classifier.scores(of: [frames[0]]), try await classifier.scores(of: [frames[1]]),
            ].flatMap(\.self)
            #expect(try await classifier.scores(of: [frames[1], frames[0]]) == [single[1], single[0]])
            let many = Array(repeating: frames[0], count: ClassifierMessages.maxFrames) + [frames[1]]
            let scores = try await classifier.scores(of: many)
            #expect(scores.count == many.count)
            #expect(scores.last == single[1])
            #expect(scores.dropLast().allSatisfy { $0 == single[0] })
            #expect(try await classifier.scores(of: []).isEmpty)
        }
    }

    @Test("frames have the size of samples; others are refused")
    func size() async throws {
        #expect(ClassifierMessages.frameLength == ImageSample.pixelCount)
        try await Setup.with { classifier in
            let error = await #expect(throws: ServiceError.self) {
                try await classifier.scores(of: [ByteBuffer(repeating: 0, count: 10)])
            }
            #expect(error?.code == .internalFailure)
            #expect(Setup.processes().isEmpty)
        }
    }

    @Test("the process is confined, has one thread and a low priority, and serves all requests")
    func confinement() async throws {
        try await Setup.with { classifier in
            try await classifier.prepare()
            let processes = Setup.processes()
            let id = try #require(processes.first)
            #expect(processes.count == 1)
            #expect(try await classifier.scores(of: [Setup.frame]).count == 1)
            #expect(Setup.processes() == processes)
            let status = try String(contentsOf: URL(filePath: "/proc/\(id)/status"), encoding: .utf8)
            for line in ["Seccomp:\t2", "NoNewPrivs:\t1", "Threads:\t1", "CapEff:\t0000000000000000"] {
                #expect(status.contains(line))
            }
            #expect(getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), id_t(id)) == 15)
        }
        #expect(Setup.processes().isEmpty)
    }

    @Test("as many processes as workers, for as many requests at the same time")
    func workers() async throws {
        try await Setup.with(workers: 2) { classifier in
            try await withThrowingTaskGroup(of: [Double].self) { group in
                for _ in 0..<6 {
                    group.addTask { try await classifier.scores(of: [Setup.frame, Setup.frame]) }
                }
                for try await scores in group { #expect(scores.count == 2) }
            }
            #expect(Setup.processes().count == 2)
        }
    }

    @Test("a process that was killed between requests is replaced, and leaves no zombie")
    func killed() async throws {
        try await Setup.with { classifier in
            let scores = try await classifier.scores(of: [Setup.frame])
            let first = Setup.processes()
            for id in first { kill(id, SIGKILL) }
            // Both before and after the end of the process was noticed.
            #expect(try await classifier.scores(of: [Setup.frame]) == scores)
            #expect(Setup.processes().count == 1)
            for id in Setup.processes() { kill(id, SIGKILL) }
            try await Setup.wait { Setup.processes().isEmpty }
            #expect(try await classifier.scores(of: [Setup.frame]) == scores)
            #expect(classifier.unavailability == nil)
        }
    }

    @Test("a missing or damaged model is a reason, until it is replaced")
    func model() async throws {
        try await Samples.withFolder { folder in
            let path = folder + "/model.onnx"
            try await Setup.with(model: path) { classifier in
                #expect(classifier.unavailability?.contains("no model") == true)
                var error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
                #expect(error?.code == .notAvailable)

                var bytes = try Data(contentsOf: URL(filePath: Setup.model))
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: URL(filePath: path))
                error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
                #expect(error?.code == .notAvailable)
                #expect(error?.message.contains("damaged") == true)
                #expect(classifier.unavailability?.contains("damaged") == true)

                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: URL(filePath: path), options: .atomic)
                #expect(classifier.unavailability == nil)
                #expect(try await classifier.scores(of: [Setup.frame]).count == 1)
            }
        }
    }

    @Test("a model that is not one is refused by the process", arguments: ["", "not a model", "\u{8}\u{7}\u{12}\u{4}"])
    func noModel(text: String) async throws {
        try await Samples.withFolder { folder in
            try Data(text.utf8).write(to: URL(filePath: folder + "/model.onnx"))
            try await Setup.with(model: folder + "/model.onnx", digest: nil) { classifier in
                let error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
                #expect(error?.code == .notAvailable)
                #expect(classifier.unavailability?.contains("OpenCV can read") == true)
            }
        }
    }

    @Test("a program that is missing or cannot be executed is a reason", arguments: ["/nonexistent", "/etc/passwd"])
    func noProgram(path: String) async throws {
        try await Setup.with(program: path) { classifier in
            #expect(classifier.unavailability?.contains("lcfile-classifier") == true)
            #expect(classifier.unavailability?.contains("package") == true, "an installed server has no `make`")
            let error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
            #expect(error?.code == .notAvailable)
        }
    }

    @Test(
        "a program that does not get ready is a reason, and not started for every request",
        arguments: ["exit 1", "echo hello world", "exec 1>&-; read line", "read line"]
    )
    func notReady(script: String) async throws {
        // The time that the last one takes; within it the shell writes its line, also on a busy machine.
        let timing = Timing(start: .seconds(5), backoff: Backoff(first: .seconds(100)))
        try await Setup.with(script: "echo x >> \"$0.starts\"\n\(script)", timing: timing) { classifier, folder in
            for _ in 0..<20 {
                let error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
                #expect(error?.code == .internalFailure)
                #expect(error?.retryAfter ?? 0 > 90)
            }
            #expect(classifier.unavailability?.contains("does not start") == true)
            let starts = try Data(contentsOf: URL(filePath: folder + "/classifier.starts"))
            #expect(starts.count == 2)
        }
    }

    @Test("failed starts are tried again after a pause; a third one in a row says that there is no classifier")
    func startsAgain() async throws {
        let script = #"""
            for number in 1 2 3; do
                if [ ! -e "$0.$number" ]; then echo x > "$0.$number"; exit 1; fi
            done
            printf 'afcl\000\000\000\000'
            printf 'afcl\001\000\000\000\000\000\000\077'
            exec cat >/dev/null
            """#
        let timing = Timing(backoff: Backoff(first: .milliseconds(20)))
        try await Setup.with(script: script, timing: timing) { classifier, _ in
            var codes: [ServiceError.Code] = []
            var scores: [Double] = []
            try await eventually {
                do {
                    scores = try await classifier.scores(of: [Setup.frame])
                    return true
                } catch let error as ServiceError {
                    if codes.last != error.code { codes.append(error.code) }
                    #expect(classifier.unavailability?.contains("does not start") == true)
                    return false
                }
            }
            #expect(codes == [.internalFailure, .notAvailable])
            #expect(scores == [0.5])
            #expect(classifier.unavailability == nil)
        }
    }

    @Test(
        "a process that ends, answers nonsense or nothing fails its request only",
        arguments: [
            ("exit 1", ServiceError.Code.internalFailure), ("echo hello world; exec cat >/dev/null", .internalFailure),
            (#"printf 'afcl\001\000\000\000\377\377\377\377'; exec cat >/dev/null"#, .internalFailure),
            (#"printf 'afcl\002\000\000\000\000\000\000\000'; exec cat >/dev/null"#, .internalFailure),
            ("exec sleep 100", .timedOut),
        ]
    )
    func badAnswers(script: String, code: ServiceError.Code) async throws {
        // Only the process that answers nothing may be too late, however busy the machine is.
        let answer = code == .timedOut ? Duration.milliseconds(300) : .seconds(100)
        let timing = Timing(answer: answer, backoff: Backoff(first: .seconds(100)))
        try await Setup.with(script: "\(Setup.ready)\n\(script)", timing: timing) { classifier, _ in
            var error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
            #expect(error?.code == code)
            error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: [Setup.frame]) }
            #expect(error?.code == .internalFailure)
            #expect(error?.retryAfter ?? 0 > 90)
            #expect(classifier.unavailability == nil)
        }
    }

    @Test("a cancelled request ends at once, and its process with it")
    func cancelled() async throws {
        try await Setup.with(script: "\(Setup.ready)\nexec sleep 100") { classifier, _ in
            let request = Task { try await classifier.scores(of: [Setup.frame]) }
            try await Setup.wait { !Setup.processes("sleep").isEmpty }
            let waiting = Task { try await classifier.scores(of: [Setup.frame]) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
            try await Setup.wait { Setup.processes("sleep").isEmpty }
            // A cancellation is no failure: no pause follows.
            let next = Task { try await classifier.scores(of: [Setup.frame]) }
            try await Setup.wait { !Setup.processes("sleep").isEmpty }
            next.cancel()
            await #expect(throws: CancellationError.self) { try await next.value }
        }
    }

    @Test("closing ends a running request and all processes, and no request is served after that")
    func closed() async throws {
        let classifier = VisionClassifier(model: Setup.model, program: Setup.program)
        try await classifier.prepare()
        let frames = Array(repeating: Setup.frame, count: 64)
        let request = Task { try await classifier.scores(of: frames) }
        await classifier.close()
        await #expect(throws: (any Error).self) { try await request.value }
        #expect(Setup.processes().isEmpty)
        let error = await #expect(throws: ServiceError.self) { try await classifier.scores(of: frames) }
        #expect(error?.code == .notAvailable)
        #expect(classifier.unavailability?.contains("stopped") == true)
    }

    @Test("messages that no process says are not read")
    func messages() {
        let head = ClassifierMessages.head(ClassifierMessages.answer, count: 3)
        #expect(ClassifierMessages.count(in: head, after: ClassifierMessages.answer) == 3)
        #expect(ClassifierMessages.count(in: head, after: ClassifierMessages.request) == nil)
        #expect(ClassifierMessages.count(in: Array(head.dropLast()), after: ClassifierMessages.answer) == nil)
        let many = ClassifierMessages.head(ClassifierMessages.answer, count: ClassifierMessages.maxFrames + 1)
        #expect(ClassifierMessages.count(in: many, after: ClassifierMessages.answer) == nil)
        #expect(ClassifierMessages.scores(in: ClassifierMessages.bytes(of: [0, 0.25, 1])) == [0, 0.25, 1])
        for wrong in [Float.nan, .infinity, -0.01, 1.01] {
            #expect(ClassifierMessages.scores(in: ClassifierMessages.bytes(of: [0.5, wrong])) == nil)
        }
    }
}
