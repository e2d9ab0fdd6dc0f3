internal import Glibc
internal import NIOCore

/// Recognises errors that a client causes when it disconnects: no operator has to act on them.
enum ClientDisconnection {
    /// Whether a client that closes or resets its connection causes the error.
    static func causes(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is ChannelError, is NIOAsyncWriterError:
            true
        case let error as IOError:
            [ECONNRESET, EPIPE, ETIMEDOUT, ENOTCONN, ECONNABORTED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
        default:
            false
        }
    }
}
