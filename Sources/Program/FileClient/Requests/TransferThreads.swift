internal import Curl
internal import Dispatch
internal import Synchronization

/// Threads on which libcurl's blocking transfers run; each has a handle, whose connections the next transfer uses.
final class TransferThreads: Sendable {
    private typealias Job = @Sendable (PooledHandle?) -> Void

    private struct State {
        var limit: ConnectionLimit
        var running = 0
        var idle: [PooledHandle] = []
        var waiting: [Job] = []
    }

    private let queue = DispatchQueue(label: "lcfile.client", attributes: .concurrent)
    private let state: Mutex<State>

    /// - Parameter count: The maximum number of transfers at the same time; less than 1 counts as 1.
    init(count: Int) {
        state = Mutex(State(limit: ConnectionLimit(maximum: count)))
    }

    /// Runs a job on a thread and returns its result; waits while all threads are in use.
    ///
    /// - Parameters:
    ///   - control: Cancelled together with the calling task; the job checks it.
    ///   - job: Blocks while it transfers.
    /// - Returns: The result of the job.
    /// - Throws: The error of the job; ``FileClientError`` if libcurl cannot start.
    func run<Result: Sendable>(
        _ control: TransferControl,
        _ job: @escaping @Sendable (inout CurlHandle) throws -> Result
    ) async throws -> Result {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit { pooled in
                    continuation.resume(
                        with: Swift.Result {
                            guard let pooled else { throw FileClientError(.local, "libcurl cannot start") }
                            return try job(&pooled.handle)
                        }
                    )
                }
            }
        } onCancel: {
            control.cancel()
        }
    }

    /// Runs blocking work without a handle on a thread of its own.
    func block<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    /// Notes how the server answered a transfer.
    ///
    /// - Parameter status: The status of the response.
    func note(_ status: Int) {
        let next = state.withLock { state -> Job? in
            guard status != 429, status != 503 else {
                state.limit.noteOverload(at: .now)
                return nil
            }
            state.limit.noteSuccess()
            guard state.running < state.limit.count, !state.waiting.isEmpty else { return nil }
            state.running += 1
            return state.waiting.removeFirst()
        }
        if let next { queue.async { self.work(beginningWith: next) } }
    }

    private func submit(_ job: @escaping Job) {
        let starts = state.withLock { state in
            guard state.running < state.limit.count else {
                state.waiting.append(job)
                return false
            }
            state.running += 1
            return true
        }
        if starts { queue.async { self.work(beginningWith: job) } }
    }

    private func work(beginningWith first: @escaping Job) {
        let pooled = state.withLock { $0.idle.popLast() } ?? (try? PooledHandle())
        var next: Job? = first
        while let job = next {
            job(pooled)
            next = state.withLock { state in
                if !state.waiting.isEmpty, state.running <= state.limit.count { return state.waiting.removeFirst() }
                state.running -= 1
                if let pooled { state.idle.append(pooled) }
                return nil
            }
        }
    }
}
