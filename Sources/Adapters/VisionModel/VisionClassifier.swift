internal import CLinux
internal import ClassifierMessages
package import Domain
internal import Glibc
package import NIOCore
internal import NIOPosix
internal import Synchronization

/// Scores frames in processes of `lcfile-classifier`, which are confined and use one thread each.
///
/// The first request starts a process, and it serves the requests after that. A process that ends, answers nonsense or
/// takes too long is replaced. No process runs after ``close()``.
package struct VisionClassifier: ImageClassifier {
    /// The SHA-256 of the model that `make model` installs: OpenNSFW in ONNX form.
    package static let knownModel = "864bb37bf8863564b87eb330ab8c785a79a773f4e7c43cb96db52ed8611305fa"

    /// How long processes can take, and when failed ones are replaced.
    package struct Timing: Sendable {
        /// The longest time for the answer to one request.
        package var answer: Duration
        /// The longest time until a process has loaded the model.
        package var start: Duration
        /// The pauses before a process that failed is replaced.
        package var backoff: Backoff

        /// Creates a timing; a process is usually ready after 0.2 seconds, and takes 0.05 seconds for a frame.
        package init(answer: Duration = .seconds(60), start: Duration = .seconds(30), backoff: Backoff = Backoff()) {
            self.answer = answer
            self.start = start
            self.backoff = backoff
        }
    }

    private let timing: Timing
    private let threads: NIOThreadPool
    private let permits: FairPermits<Int>
    private let processes: ProcessPool

    /// Creates a classifier with its threads; starts no process.
    ///
    /// - Parameters:
    ///   - model: The path of the model: a network in ONNX form with the input and the output of OpenNSFW.
    ///   - digest: The SHA-256 that the model must have, in lower-case hexadecimal digits; `nil` for any.
    ///   - program: The path of `lcfile-classifier`.
    ///   - workers: The number of processes, each of which computes on one thread at a low priority.
    ///   - timing: The limits on time.
    package init(
        model: String,
        digest: String? = VisionClassifier.knownModel,
        program: String = VisionClassifier.programBesideServer,
        workers: Int = 1,
        timing: Timing = Timing()
    ) {
        self.timing = timing
        let workers = max(1, workers)
        // For each process one thread exchanges messages, and one waits for its end.
        threads = NIOThreadPool(numberOfThreads: 2 * workers)
        threads.start()
        permits = FairPermits(workers)
        processes = ProcessPool(
            program: program,
            model: ModelFile(path: model, digest: digest),
            startTime: timing.start,
            backoff: timing.backoff,
            threads: threads
        )
    }

    /// `lcfile-classifier` in the folder of this program.
    package static var programBesideServer: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "lcfile-classifier"
    }

    /// The requests that run and wait.
    package var queueStatus: QueueStatus { permits.status }

    /// The processes that run, those that were started so far, and how many failed.
    package var processCounts: (running: Int, starts: Int, failures: Int) {
        (processes.runningCount, processes.counts.starts.value, processes.counts.failures.value)
    }

    package var unavailability: String? { processes.obstacle?.description }

    /// Starts a process, so that ``unavailability`` is known and the first request does not wait.
    package func prepare() async throws {
        try await use { _ in }
    }

    package func scores(of frames: [ByteBuffer]) async throws -> [Double] {
        guard frames.allSatisfy({ $0.readableBytes == ClassifierMessages.frameLength }) else {
            throw ServiceError(.internalFailure, "A frame has the wrong size.")
        }
        guard !frames.isEmpty else { return [] }
        return try await use { process throws(ProcessFailure) in
            let deadline = ContinuousClock.now + timing.answer
            var scores: [Double] = []
            var rest = frames[...]
            while !rest.isEmpty {
                let part = rest.prefix(ClassifierMessages.maxFrames)
                scores += try process.scores(of: part, by: deadline).map(Double.init)
                rest = rest.dropFirst(part.count)
            }
            return scores
        }
    }

    /// Ends all processes and threads; requests fail from then on.
    package func close() async {
        processes.close()
        try? await threads.shutdownGracefully()
    }

    /// Runs a body on a thread with a process of its own, which is killed if the task is cancelled.
    private func use<Result: Sendable>(
        _ body: @escaping @Sendable (ClassifierProcess) throws(ProcessFailure) -> Result
    ) async throws -> Result {
        // A start that failed is no reason to refuse: after its pause, a request tries the next one.
        if let lack = processes.lack { throw ServiceError(.notAvailable, lack.description) }
        try await permits.take(for: 0)
        defer { permits.giveBack() }
        let call = ClassifierCall()
        return try await withTaskCancellationHandler {
            try await threads.runIfActive { try run(body, call) }
        } onCancel: {
            call.cancel()
        }
    }

    private func run<Result>(
        _ body: (ClassifierProcess) throws(ProcessFailure) -> Result,
        _ call: ClassifierCall
    ) throws -> Result {
        blockPipeSignals()
        do {
            while true {
                guard !call.isCancelled else { throw CancellationError() }
                let (process, isNew) = try processes.take()
                call.begin(with: process)
                do {
                    let result = try body(process)
                    call.end()
                    processes.giveBack(process)
                    return result
                } catch {
                    guard !call.isCancelled else {
                        process.kill()
                        throw CancellationError()
                    }
                    // It ended while it was idle: another one gets the request.
                    if case .ended = error, !isNew { continue }
                    processes.drop(process)
                    throw failure(error)
                }
            }
        } catch {
            if call.isCancelled { throw CancellationError() }
            guard let obstacle = error as? ClassifierObstacle else { throw error }
            throw ServiceError(.notAvailable, obstacle.description)
        }
    }

    private func failure(_ cause: ProcessFailure) -> ServiceError {
        if case .overdue = cause {
            return ServiceError(.timedOut, "The classifier did not answer in time.", cause: cause)
        }
        return ServiceError(.internalFailure, "The classifier failed.", cause: cause)
    }

    /// A write to a process that has ended fails with EPIPE instead of ending the server; for this thread only.
    private func blockPipeSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// The process that works for a call, so that it can be killed when the caller is cancelled.
private final class ClassifierCall: Sendable {
    private let state = Mutex<(process: ClassifierProcess?, isCancelled: Bool)>((nil, false))

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func begin(with process: ClassifierProcess) {
        let isCancelled = state.withLock { state in
            state.process = process
            return state.isCancelled
        }
        if isCancelled { process.kill() }
    }

    /// A later cancellation does not kill the process, which can serve others.
    func end() {
        state.withLock { $0.process = nil }
    }

    func cancel() {
        let process = state.withLock { state in
            state.isCancelled = true
            return state.process
        }
        process?.kill()
    }
}
