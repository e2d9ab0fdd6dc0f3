internal import NIOCore

extension EventLoop {
    /// Returns when the event loop has done what other threads gave it before.
    ///
    /// The writer of a body waits for a slow client only after the event loop has told it that the connection takes no
    /// more. It hands over each piece without waiting for that, so without this call a body of many megabytes can leave
    /// it before the first piece is sent.
    func catchUp() async throws {
        try await submit {}.get()
    }
}
