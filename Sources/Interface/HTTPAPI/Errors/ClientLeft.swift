internal import Glibc
internal import NIOCore

/// Tells errors of connections that their clients ended: no failure that an operator should look for.
enum ClientLeft {
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
