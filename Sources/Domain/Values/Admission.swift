internal import Synchronization

/// Counts jobs that run or wait, and refuses those beyond the limit at once instead of letting a queue grow.
///
/// Thread-safe.
package final class Admission: Sendable {
    /// The maximum number of jobs that run and wait together.
    package let limit: Int
    private let refusal: String
    private let setting: String?
    private let admitted = Mutex(0)

    /// - Parameters:
    ///   - limit: The maximum number of jobs that run and wait together.
    ///   - refusal: The message for the client beyond the limit.
    ///   - setting: The setting of the limit, for the metrics; `nil` if it has none.
    package init(limit: Int, refusal: String, setting: String? = nil) {
        self.setting = setting
        self.limit = limit
        self.refusal = refusal
    }

    /// The number of jobs that run and wait.
    package var count: Int { admitted.withLock { $0 } }

    /// Runs the job; throws ``ServiceError/Code/overloaded`` if the number of jobs has reached the limit.
    package func run<Result>(_ job: () async throws -> Result) async throws -> Result {
        let entered = admitted.withLock { admitted in
            guard admitted < limit else { return false }
            admitted += 1
            return true
        }
        guard entered else {
            throw ServiceError(.overloaded, refusal, limit: setting)
        }
        defer { admitted.withLock { $0 -= 1 } }
        return try await job()
    }
}
