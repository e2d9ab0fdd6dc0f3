internal import ClassifierMessages
internal import Domain
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// The classifier processes: those that wait for a request, the pause after failures, and the end of all.
///
/// Blocks; used on the threads of the classifier.
final class ProcessPool: Sendable {
    private struct State {
        var idle: [ClassifierProcess] = []
        var running: [ObjectIdentifier: ClassifierProcess] = [:]
        var backoff: Backoff
        /// No process is started before.
        var nextStart: ContinuousClock.Instant?
        /// Why the last process was not ready; `nil` once one is.
        var obstacle: ClassifierObstacle?
        /// The starts since then that failed.
        var failedStarts = 0
        var isClosed = false

        /// The error of a request during the pause before the next start.
        func failure(for pause: Duration) -> any Error {
            // A start can fail once, on a machine without free memory: then the request is worth another attempt.
            if let obstacle, obstacle != .notStarted || failedStarts >= ProcessPool.maxFailedStarts { return obstacle }
            let seconds = Int((pause / .seconds(1)).rounded(.up))
            let what = obstacle.map { "\($0)" } ?? "The classifier failed."
            return ServiceError(
                .internalFailure,
                "\(what) It is started again in \(seconds) seconds.",
                retryAfter: seconds
            )
        }
    }

    /// The failed starts in a row after which the classifier counts as not available until a start succeeds.
    private static let maxFailedStarts = 3

    private let program: String
    private let model: ModelFile
    private let startTime: Duration
    private let threads: NIOThreadPool
    private let state: Mutex<State>
    /// The processes that were started so far, and those that failed.
    let counts = (starts: EventCount(), failures: EventCount())

    init(program: String, model: ModelFile, startTime: Duration, backoff: Backoff, threads: NIOThreadPool) {
        self.program = program
        self.model = model
        self.startTime = startTime
        self.threads = threads
        state = Mutex(State(backoff: backoff))
    }

    /// The number of processes.
    var runningCount: Int { state.withLock(\.running.count) }

    /// Why no process can run, as far as that is known.
    var obstacle: ClassifierObstacle? { lack ?? state.withLock(\.obstacle) }

    /// Why no process can be started: the model or the program is missing, or the classifier was stopped.
    var lack: ClassifierObstacle? {
        if let obstacle = model.obstacle { return obstacle }
        guard access(program, X_OK) == 0 else { return .noProgram }
        return state.withLock { $0.isClosed ? .closed : nil }
    }

    /// A process that is ready and that no other thread uses; starts one if none is idle.
    ///
    /// - Returns: The process, and whether it was started for this call.
    /// - Throws: ``ClassifierObstacle`` if no process can run; ``ServiceError/Code/internalFailure`` for a failure that can
    ///   pass.
    func take() throws -> (process: ClassifierProcess, isNew: Bool) {
        let idle = try state.withLock { state throws(ClassifierObstacle) -> ClassifierProcess? in
            guard !state.isClosed else { throw .closed }
            while let process = state.idle.popLast() {
                if !process.hasEnded { return process }
            }
            return nil
        }
        if let idle { return (idle, false) }
        let file = try model.open()
        defer { Glibc.close(file) }
        guard access(program, X_OK) == 0 else { throw ClassifierObstacle.noProgram }
        try checkPause()
        return (try start(file), true)
    }

    /// Returns a process that answered.
    func giveBack(_ process: ClassifierProcess) {
        state.withLock { state in
            state.idle.append(process)
            state.backoff.reset()
            state.nextStart = nil
        }
    }

    /// Ends a process that failed; the next one starts after a pause, which grows with each failure.
    func drop(_ process: ClassifierProcess) {
        process.kill()
        counts.failures.add()
        state.withLock { $0.nextStart = .now + $0.backoff.next() }
    }

    /// Ends all processes; none is started after that.
    func close() {
        let running = state.withLock { state in
            state.isClosed = true
            state.idle = []
            return state.running.values.map(\.self)
        }
        for process in running { process.kill() }
    }

    private func checkPause() throws {
        let failure: (any Error)? = state.withLock { state in
            let pause = state.nextStart.map { $0 - .now } ?? .zero
            return pause > .zero ? state.failure(for: pause) : nil
        }
        if let failure { throw failure }
    }

    private func start(_ file: CInt) throws -> ClassifierProcess {
        let process: ClassifierProcess
        do {
            process = try ClassifierProcess(program: program, model: file)
        } catch {
            throw noteFailedStart(.notStarted)
        }
        counts.starts.add()
        let key = ObjectIdentifier(process)
        let isClosed = state.withLock { state in
            state.running[key] = process
            return state.isClosed
        }
        threads.submit { [self] _ in
            // Also where the threads are shut down: the process must not stay a zombie.
            process.reap()
            state.withLock { state in
                state.running[key] = nil
                state.idle.removeAll { $0 === process }
            }
        }
        if isClosed { process.kill() }
        do {
            try process.waitUntilReady(by: .now + startTime)
        } catch {
            process.kill()
            throw noteFailedStart(Self.obstacle(of: error))
        }
        state.withLock { state in
            state.obstacle = nil
            state.failedStarts = 0
        }
        return process
    }

    /// Begins the pause after a start that failed; returns the error of its request.
    private func noteFailedStart(_ obstacle: ClassifierObstacle) -> any Error {
        counts.failures.add()
        return state.withLock { state in
            state.obstacle = obstacle
            state.failedStarts += 1
            let pause = state.backoff.next()
            state.nextStart = .now + pause
            return state.failure(for: pause)
        }
    }

    private static func obstacle(of failure: ProcessFailure) -> ClassifierObstacle {
        switch failure {
        case .ended(.notConfined): .notConfined
        case .ended(.badModel): .unreadableModel
        default: .notStarted
        }
    }
}
