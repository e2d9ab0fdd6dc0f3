internal import NIOHTTP1

extension HTTPResponseHead {
    /// The head of the last response of a connection.
    ///
    /// - Parameter isOld: Whether its request uses HTTP/1.0, which has no chunked encoding: the end of the connection is
    ///   then the end of a body without a length.
    /// - Returns: The head with `Connection: close`.
    func closing(isOld: Bool) -> HTTPResponseHead {
        var head = self
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        if isOld, !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
        return head
    }
}
