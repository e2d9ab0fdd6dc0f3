internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Records a request once: when its response has been sent, or when it is dropped, because its client has left.
final class ResponseEnd: Sendable {
    private let record: RequestRecord
    private let start: ContinuousClock.Instant
    private let sink: RequestSink
    private let isRecorded = Atomic(false)

    /// - Parameters:
    ///   - record: The record; its time, bytes and duration are replaced.
    ///   - start: When the request arrived.
    ///   - sink: Receives the record.
    init(_ record: RequestRecord, since start: ContinuousClock.Instant, sink: @escaping RequestSink) {
        self.record = record
        self.start = start
        self.sink = sink
    }

    deinit {
        // The head could not be sent, so nothing asked for the body.
        end(bytes: nil, isComplete: false)
    }

    /// Records the end; later calls do nothing.
    func end(bytes: Int64?, isComplete: Bool) {
        guard !isRecorded.exchange(true, ordering: .relaxed) else { return }
        var record = record
        record.time = .now()
        record.bytes = bytes
        record.duration = start.duration(to: .now)
        record.isComplete = isComplete
        sink(record)
    }
}

extension ResponseBody {
    /// The same body, whose end is recorded.
    ///
    /// The bytes of a body without a known length are counted.
    func recorded(by end: ResponseEnd) -> ResponseBody {
        let length = contentLength.map(Int64.init)
        let count = ByteCount()
        let body = length == nil ? map { count.adding($0) } : self
        return ResponseBody(contentLength: contentLength) { writer in
            do {
                try await body.write(writer)
            } catch {
                end.end(bytes: length == nil ? count.value : nil, isComplete: false)
                throw error
            }
            end.end(bytes: length ?? count.value, isComplete: true)
        }
    }
}

/// The number of bytes of a body so far.
private final class ByteCount: Sendable {
    private let bytes = Atomic<Int64>(0)

    var value: Int64 { bytes.load(ordering: .relaxed) }

    /// Counts the bytes of a piece, and returns the piece.
    func adding(_ piece: ByteBuffer) -> ByteBuffer {
        bytes.wrappingAdd(Int64(piece.readableBytes), ordering: .relaxed)
        return piece
    }
}
