internal import Synchronization

/// How often the bucket was asked for derivatives, by the result; thread-safe.
package final class SharedDerivativeCounts: Sendable {
    /// What became of a request.
    package enum Result: String, Sendable, CaseIterable {
        /// The bucket had the derivative.
        case read
        /// The bucket did not have it, or was not asked, because a request failed a moment ago.
        case absent
        /// The bucket took the derivative.
        case stored
        /// The request failed.
        case failed
    }

    private let counts = Mutex<[Result: Int]>([:])

    /// The number of requests with a result, since the start.
    package subscript(result: Result) -> Int { counts.withLock { $0[result] ?? 0 } }

    func count(_ result: Result) { counts.withLock { $0[result, default: 0] += 1 } }
}
