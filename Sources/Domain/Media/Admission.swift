internal import Synchronization

/// Counts jobs that run or wait, and refuses those beyond the limit at once instead of letting a queue grow.
///
/// May be used from any thread.
package final class Admission: Sendable {
    private let limit: Int
    private let admitted = Mutex(0)

    /// Takes how many jobs may run and wait together.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Runs the job, or throws ``ServiceError/Code/overloaded`` if as many as the limit run or wait already.
    package func run<Result>(_ job: () async throws -> Result) async throws -> Result {
        let entered = admitted.withLock { admitted in
            guard admitted < limit else { return false }
            admitted += 1
            return true
        }
        guard entered else {
            throw ServiceError(.overloaded, "Too many images are being processed; try again in a second.")
        }
        defer { admitted.withLock { $0 -= 1 } }
        return try await job()
    }
}
