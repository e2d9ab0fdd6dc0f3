internal import CPostgres
internal import Glibc
internal import Synchronization

/// A request to the server to cancel the running statement of a connection, on a thread of its own.
///
/// libpq opens another connection for it, and blocks until the server closes that one, without a time limit: with a
/// silent server, the thread that waits for the statement would never go on.
///
/// `@unchecked Sendable`: `request` is a copy of what libpq needs, which any thread can send, also after the end of the
/// connection. Only the thread of the request uses it, until the last reference releases it.
final class CancelRequest: @unchecked Sendable {
    /// The maximum number of requests without an answer in the process, each with a thread.
    private static let maxCount = 16
    private static let count = Atomic(0)

    private let request: OpaquePointer
    private let ended = Atomic(false)

    private init(_ request: OpaquePointer) {
        self.request = request
    }

    deinit {
        PQfreeCancel(request)
    }

    /// Whether the request has reached the server, or has failed.
    ///
    /// Before that, it could cancel the next statement of the connection.
    var isEnded: Bool { ended.load(ordering: .acquiring) }

    /// Sends a request for the running statement of a connection.
    ///
    /// - Parameter handle: The connection.
    /// - Returns: The request; `nil` if too many requests have no answer, or the system has no thread for it.
    static func send(for handle: OpaquePointer) -> CancelRequest? {
        guard let pointer = PQgetCancel(handle) else { return nil }
        let request = CancelRequest(pointer)
        guard count.add(1, ordering: .relaxed).newValue <= maxCount, request.start() else {
            _ = count.subtract(1, ordering: .relaxed)
            return nil
        }
        return request
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread,
            nil,
            { box in
                if let box { Unmanaged<CancelRequest>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        guard status == 0 else {
            box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(request, &message, CInt(message.count))
        _ = CancelRequest.count.subtract(1, ordering: .relaxed)
        ended.store(true, ordering: .releasing)
    }
}
