internal import Domain
internal import Synchronization

/// A file of the cache while its bytes arrive from the store; readers follow it.
///
/// Bytes that have arrived are not compared with the blob's digest yet. So the last bytes of what a reader passes on have
/// to wait for ``whole()``.
final class S3Arrival: Sendable {
    /// The file with the bytes that have arrived, and the number of the attempt that fetched them: the bytes of another
    /// attempt can be others.
    typealias Part = (file: LocalFile, attempt: Int)

    private struct State {
        var file: LocalFile?
        var attempt = 0
        var end: Int64 = 0
        var result: Result<LocalFile, any Error>?
        var waiters: [(position: Int64, continuation: CheckedContinuation<Void, Never>)] = []

        func isOver(at position: Int64) -> Bool { end >= position || result != nil }

        /// Removes the waiters that have what they wait for.
        mutating func takeReady() -> [(position: Int64, continuation: CheckedContinuation<Void, Never>)] {
            let ready = waiters.filter { isOver(at: $0.position) }
            if !ready.isEmpty { waiters = waiters.filter { !isOver(at: $0.position) } }
            return ready
        }
    }

    private let state = Mutex(State())

    /// Creates an arrival without bytes.
    init() {}

    /// Creates an arrival that is over.
    init(_ file: LocalFile) {
        state.withLock { $0.result = .success(file) }
    }

    // MARK: The fetch

    /// Notes that bytes will arrive in a file, from its beginning.
    func begin(in file: LocalFile) {
        state.withLock { state in
            state.file = file
            state.attempt += 1
            state.end = 0
        }
    }

    /// Notes that all bytes before a position have arrived.
    func reach(_ position: Int64) {
        change { $0.end = position }
    }

    /// Ends the arrival: with the complete file, whose bytes were compared, or with the error of the fetch.
    func end(_ result: Result<LocalFile, any Error>) {
        change { state in
            state.result = result
            // The bytes of a fetch that failed take no space for as long as something remembers it.
            state.file = nil
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            return state.takeReady()
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    // MARK: Readers

    /// The complete file; `nil` while bytes arrive, and after an error.
    var file: LocalFile? { state.withLock { try? $0.result?.get() } }

    /// Whether the bytes of an attempt are still those that count.
    func isCurrent(_ attempt: Int) -> Bool { state.withLock { $0.attempt == attempt } }

    /// The error with which the arrival has ended.
    var failure: (any Error)? { state.withLock { $0.result?.failure } }

    /// Waits for the complete file, whose bytes were compared; as long as the fetch takes, also in a cancelled task.
    ///
    /// - Throws: The error of the fetch.
    func whole() async throws -> Part { try await reaching(.max) }

    /// Waits until all bytes before a position have arrived, also in a cancelled task.
    ///
    /// - Throws: The error of the fetch.
    func reaching(_ position: Int64) async throws -> Part {
        while true {
            await wait(for: position)
            let part: Part? = try state.withLock { state in
                if let result = state.result { return (try result.get(), state.attempt) }
                // Another attempt can have begun meanwhile.
                guard state.end >= position, let file = state.file else { return nil }
                return (file, state.attempt)
            }
            if let part { return part }
        }
    }

    private func wait(for position: Int64) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isOver(at: position) { return true }
                state.waiters.append((position, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
