internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The record of the request to which a connection, or a stream of HTTP/2, is responding.
///
/// The middleware of the log makes the record, but only what sends the response knows when it ends. A function around
/// the response's body would know it too, but such a body leaves in other pieces than one in memory, which is sent as one
/// with its head. A connection responds to one request after the other, so it has one pending record. Thread-safe.
final class PendingRecord: Sendable {
    private struct State {
        var record: RequestRecord
        let start: ContinuousClock.Instant
        let sink: RequestSink
        /// The length of the body; `nil` if it is counted.
        let length: Int64?
    }

    private let state = Mutex<State?>(nil)
    /// The bytes of the current body so far, if they are counted.
    private let counted = Atomic<Int64>(0)

    /// That of the connection whose task this is; `nil` elsewhere.
    @TaskLocal static var current: PendingRecord?

    /// Begins the record of a request.
    ///
    /// - Parameters:
    ///   - record: The record; its time, bytes and duration are replaced.
    ///   - start: When the request arrived.
    ///   - body: The body of the response.
    ///   - sink: Receives the record.
    /// - Returns: The body to send: the same, unless its bytes have to be counted.
    func begin(
        _ record: RequestRecord,
        since start: ContinuousClock.Instant,
        _ body: ResponseBody,
        to sink: RequestSink
    ) -> ResponseBody {
        let length = body.contentLength.map(Int64.init)
        state.withLock { $0 = State(record: record, start: start, sink: sink, length: length) }
        guard length == nil else { return body }
        counted.store(0, ordering: .relaxed)
        return body.map { [self] piece in
            counted.wrappingAdd(Int64(piece.readableBytes), ordering: .relaxed)
            return piece
        }
    }

    /// Records the request, if there is one, with the end of its response.
    ///
    /// - Parameter isComplete: Whether the whole response has been sent.
    func end(isComplete: Bool) {
        guard let state = state.withLock({ $0.take() }) else { return }
        var record = state.record
        record.time = .now()
        record.bytes = state.length == nil ? counted.load(ordering: .relaxed) : isComplete ? state.length : nil
        record.duration = state.start.duration(to: .now)
        record.isComplete = isComplete
        state.sink.send(record)
    }

    /// Calls a responder, and ends the record of each request with it.
    static func recording(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTPChannelHandler.Responder {
        { (request, writer: consuming ResponseWriter, channel) in
            do {
                try await responder(request, writer, channel)
            } catch {
                current?.end(isComplete: false)
                throw error
            }
            current?.end(isComplete: true)
        }
    }
}
