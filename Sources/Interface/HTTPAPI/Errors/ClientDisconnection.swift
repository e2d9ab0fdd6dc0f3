internal import Glibc
internal import NIOCore
internal import NIOHTTP2

/// Recognizes errors that a client causes when it disconnects: the operator need not act on them.
enum ClientDisconnection {
    /// Whether the error means that a client closed or reset its connection, or its stream.
    static func causes(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is ChannelError, is NIOAsyncWriterError, is NIOHTTP2Errors.StreamClosed:
            true
        case let error as IOError:
            [ECONNRESET, EPIPE, ETIMEDOUT, ENOTCONN, ECONNABORTED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
        default:
            false
        }
    }
}
