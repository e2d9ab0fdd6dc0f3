package import NIOCore

/// Downloads files from other servers.
///
/// Clients choose the URL, and may try to reach this server's private network.
package protocol Fetcher: Sendable {
    /// Fetches a file and hands out its bytes in their order, one piece at a time.
    ///
    /// The next piece comes when `take` has returned, so that memory stays small and a slow taker slows the sender.
    /// Once this returns or throws, `take` is not called any more. `take` must not wait for another fetch.
    ///
    /// - Parameters:
    ///   - url: The address; redirects from it are followed within limits.
    ///   - take: Gets every piece of a successful answer and nothing of others; what it throws ends the fetch.
    /// - Returns: What was said of the file, once all of its bytes are taken.
    /// - Throws: What `take` threw; `CancellationError` if the task is cancelled; else ``ServiceError``:
    ///   ``ServiceError/Code/payloadTooLarge``, ``ServiceError/Code/timedOut``, ``ServiceError/Code/overloaded`` or,
    ///   for all others, ``ServiceError/Code/badRequest``. An address that must not be connected to and one that cannot
    ///   be have the same message.
    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead
}

/// What a server said of the file that it sent.
package struct FetchedHead: Sendable {
    /// The media type that the server sent; `nil` if it is missing or malformed.
    package let mediaType: MediaType?

    /// Takes what was said.
    package init(mediaType: MediaType?) {
        self.mediaType = mediaType
    }
}
