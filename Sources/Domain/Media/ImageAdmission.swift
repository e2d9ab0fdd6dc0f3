internal import Synchronization

/// Lets image jobs run while there are workers and memory for them, in the order in which they came.
///
/// A job has a place first, of which there are so many; beyond them it is refused at once, so that no queue grows. Then it
/// is priced and waits until it fits. May be used from any thread.
package final class ImageAdmission: Sendable {
    private let workers: Int
    /// What jobs may take together, in bytes.
    private let memory: Int
    private let places: Int
    private let state = Mutex(State())

    private struct State {
        var taken = 0
        var running = 0
        var used = 0
        /// In the order in which they came.
        var waiting: [Waiting] = []
        var next: UInt64 = 0
    }

    private struct Waiting {
        let id: UInt64
        let price: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// - Parameters:
    ///   - workers: How many jobs run at the same time.
    ///   - memory: What they may take together, in bytes.
    ///   - queue: How many more may wait.
    package init(workers: Int, memory: Int, queue: Int) {
        self.workers = workers
        self.memory = memory
        places = workers + queue
    }

    /// Runs a job that has a place, or throws ``ServiceError/Code/overloaded`` at once.
    ///
    /// - Parameter job: Prices its work and runs it in ``Place/run(price:_:)``.
    /// - Returns: What the job returns.
    /// - Throws: ``ServiceError/Code/overloaded``, and what the job throws.
    package func admit<Result>(_ job: (Place) async throws -> Result) async throws -> Result {
        let isAdmitted = state.withLock { state in
            guard state.taken < places else { return false }
            state.taken += 1
            return true
        }
        guard isAdmitted else {
            throw ServiceError(.overloaded, "Too many images are being processed; try again in a second.")
        }
        defer { state.withLock { $0.taken -= 1 } }
        return try await job(Place(admission: self))
    }

    /// A job's place among those that run or wait.
    package struct Place: Sendable {
        fileprivate let admission: ImageAdmission

        /// Waits for a worker and for memory, then runs the work.
        ///
        /// - Throws: ``ServiceError/Code/imageTooLarge`` if the work alone takes more than there is, `CancellationError` if
        ///   the task is cancelled while it waits, and what the work throws.
        package func run<Result>(price: Int, _ work: () async throws -> Result) async throws -> Result {
            try await admission.begin(price)
            defer { admission.end(price) }
            return try await work()
        }
    }

    private func begin(_ price: Int) async throws {
        guard price <= memory else {
            throw ServiceError(
                .imageTooLarge,
                "The picture takes \(price >> 20) MB to process; the limit is \(memory >> 20) MB (images.memory)."
            )
        }
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = Task.isCancelled
                state.withLock { state in
                    guard !isCancelled else { return }
                    state.waiting.append(Waiting(id: id, price: price, continuation: continuation))
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                startThoseThatFit()
                // The task may have been cancelled between the look and the list.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func end(_ price: Int) {
        state.withLock { state in
            state.running -= 1
            state.used -= price
        }
        startThoseThatFit()
    }

    private func cancel(_ id: UInt64) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiting?.continuation.resume(throwing: CancellationError())
        // Perhaps it stood before others that fit.
        startThoseThatFit()
    }

    /// Starts from the front, so that a large job is never overtaken for ever.
    private func startThoseThatFit() {
        let starting = state.withLock { state in
            var starting: [Waiting] = []
            while let first = state.waiting.first, state.running < workers, state.used + first.price <= memory {
                state.running += 1
                state.used += first.price
                starting.append(state.waiting.removeFirst())
            }
            return starting
        }
        for waiting in starting { waiting.continuation.resume() }
    }
}
