internal import Glibc
internal import NIOCore

extension Channel {
    /// Holds back segments that are not full while it is set (`TCP_CORK` in tcp(7)); called on the event loop.
    ///
    /// Has no effect on a closed connection, and on one that is not TCP; then only the segments differ.
    func setCork(_ isCorked: Bool) {
        try? syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_CORK)), value: isCorked ? 1 : 0)
    }
}
