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
        var isClosed = false
    }

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
    var obstacle: ClassifierObstacle? {
        if let obstacle = model.obstacle { return obstacle }
        guard access(program, X_OK) == 0 else { return .noProgram }
        return state.withLock { $0.isClosed ? .closed : $0.obstacle }
    }

    /// A process that is ready and that no other thread uses; starts one if none is idle.
    ///
    /// - Returns: The process, and whether it was started for this call.
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
        let (pause, obstacle) = state.withLock { state in
            (state.nextStart.map { $0 - .now } ?? .zero, state.obstacle)
        }
        guard pause > .zero else { return }
        if let obstacle { throw obstacle }
        let seconds = Int((pause / .seconds(1)).rounded(.up))
        throw ServiceError(
            .internalFailure,
            "The classifier failed; it starts again in \(seconds) seconds.",
            retryAfter: seconds
        )
    }

    private func start(_ file: CInt) throws -> ClassifierProcess {
        let process: ClassifierProcess
        do {
            process = try ClassifierProcess(program: program, model: file)
        } catch {
            fail(.notStarted)
            throw ClassifierObstacle.notStarted
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
            let obstacle = Self.obstacle(of: error)
            fail(obstacle)
            throw obstacle
        }
        state.withLock { $0.obstacle = nil }
        return process
    }

    private func fail(_ obstacle: ClassifierObstacle) {
        counts.failures.add()
        state.withLock { state in
            state.obstacle = obstacle
            state.nextStart = .now + state.backoff.next()
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
