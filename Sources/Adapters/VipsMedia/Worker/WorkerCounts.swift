package import Domain
internal import Synchronization

/// Counts worker processes; thread-safe, without a lock.
package final class WorkerCounts: Sendable {
    /// Why a process ended without a response.
    package enum Failure: Int, Sendable, CaseIterable {
        /// It found no image that it reads.
        case refused
        /// The image exceeds a limit.
        case tooLarge
        /// It exceeded its time, and was killed.
        case timeout
        /// It exceeded its memory.
        case memory
        /// It ended by a signal: its decoder crashed, or tried what it is not allowed to do.
        case crashed
        /// It could not be started, or its response was malformed.
        case failed

        /// The value of the label.
        package var label: String { self == .tooLarge ? "too_large" : "\(self)" }
    }

    private let runningCount = Atomic(0)
    /// The processes that were started so far.
    package let starts = EventCount()
    private let failures = Failure.allCases.map { _ in EventCount() }

    /// The number of processes that run.
    package var running: Int { runningCount.load(ordering: .relaxed) }

    /// The number of processes that ended for a reason.
    package func failed(_ reason: Failure) -> Int { failures[reason.rawValue].value }

    func count(_ failure: Failure) { failures[failure.rawValue].add() }

    /// Counts a process while a body runs it.
    func running<Result>(_ body: () async throws -> Result) async throws -> Result {
        starts.add()
        runningCount.wrappingAdd(1, ordering: .relaxed)
        defer { runningCount.wrappingSubtract(1, ordering: .relaxed) }
        return try await body()
    }
}
