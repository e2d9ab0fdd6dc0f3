internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The requests of a connection of HTTP/2 that reach routes, in the order of their arrival.
final class HTTP2Streams: Sendable {
    private let channel: any Channel
    private let activity: ConnectionActivity
    private let requests: AsyncStream<AcceptedRequests>
    private let continuation: AsyncStream<AcceptedRequests>.Continuation
    /// The number of open streams; changed on the connection's event loop only.
    private let open = Atomic(0)
    /// Whether a stream has the place that the connection itself has; changed on the connection's event loop only.
    private let isPlaceTaken = Atomic(false)

    /// - Parameters:
    ///   - channel: The connection.
    ///   - activity: Records when it has no open stream.
    init(on channel: any Channel, _ activity: ConnectionActivity) {
        self.channel = channel
        self.activity = activity
        (requests, continuation) = AsyncStream.makeStream()
        channel.closeFuture.whenComplete { [continuation] _ in continuation.finish() }
    }

    /// Records that a stream opened; called on the connection's event loop.
    func begin() {
        if open.wrappingAdd(1, ordering: .relaxed).newValue == 1 { activity.begin() }
    }

    /// Records that a stream closed; called on the connection's event loop.
    func end() {
        if open.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { activity.end() }
    }

    /// Takes the place of the connection itself, if no other stream has it; called on the connection's event loop.
    func takePlace() -> Bool {
        !isPlaceTaken.exchange(true, ordering: .relaxed)
    }

    /// Gives the place of the connection back; called on the connection's event loop.
    func givePlace() {
        isPlaceTaken.store(false, ordering: .relaxed)
    }

    /// Hands a stream over to ``each(_:)``, unless the connection is closed or being cancelled.
    func append(_ stream: HTTPConnection.Requests) {
        continuation.yield(AcceptedRequests(stream))
    }

    /// Runs a body for each request, all at once, until the connection is closed; cancellation closes it.
    func each(_ body: @escaping @Sendable (HTTPConnection.Requests) async -> Void) async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await request in requests { group.addTask { await body(request.take()) } }
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}
