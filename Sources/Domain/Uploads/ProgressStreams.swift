internal import Synchronization

/// The open progress streams of an upload; a slow one gets only the newest state.
final class ProgressStreams: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<UploadProgress>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Opens a stream of the changes from now on; it ends with the upload.
    ///
    /// - Parameter now: Creates the first event.
    /// - Returns: The stream, and a function that adds one more event to it.
    func open(
        from now: () -> UploadProgress
    ) -> (AsyncStream<UploadProgress>, AsyncStream<UploadProgress>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UploadProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        // Created after the stream is registered, so that no change is missed.
        continuation.yield(now())
        return (stream, continuation)
    }

    /// Notifies all streams of a change; creates the value only if there is a stream.
    func notify(_ progress: () -> UploadProgress) {
        let open = state.withLock { Array($0.continuations.values) }
        guard !open.isEmpty else { return }
        let progress = progress()
        for continuation in open { continuation.yield(progress) }
    }

    /// Ends all streams.
    func finish() {
        let open = state.withLock { state in
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in open { continuation.finish() }
    }
}
