internal import NIOCore
internal import Synchronization

/// The requests of a connection, or of a stream of HTTP/2, until a task takes them.
///
/// A connection that is accepted in the moment in which the server stops listening reaches no task, nor does a stream that
/// opens while its connection closes. NIO ends the process when the writer of a channel is dropped before its end. So
/// requests that no task has taken are ended here, and the connection with them.
final class AcceptedRequests: Sendable {
    private let requests: HTTPConnection.Requests
    private let isTaken = Atomic(false)

    /// Creates the value; called before the channel becomes active.
    init(_ requests: HTTPConnection.Requests) {
        self.requests = requests
    }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        Task { [requests] in try? await requests.executeThenClose { _, _ in } }
    }

    /// The requests, for a task that reads them to their end (`executeThenClose`).
    func take() -> HTTPConnection.Requests {
        isTaken.store(true, ordering: .relaxed)
        return requests
    }
}
