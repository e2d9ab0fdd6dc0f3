package import NIOCore

/// Downloads files from other servers.
///
/// Clients choose the URL, and can try to reach this server's private network.
package protocol Fetcher: Sendable {
    /// Fetches a file and passes its bytes on in order, one piece at a time.
    ///
    /// The next piece follows when `take` has returned, so that memory stays small and a slow consumer slows the
    /// sender. After this returns or throws, `take` is not called again. `take` must not wait for another fetch.
    ///
    /// - Parameters:
    ///   - url: The address; redirects are followed within limits.
    ///   - take: Receives every piece of a successful response, and no bytes of other responses; an error that it
    ///     throws ends the fetch.
    /// - Returns: The metadata of the file, after all of its bytes are consumed.
    /// - Throws: The error that `take` threw; `CancellationError` if the task is cancelled; else ``ServiceError``:
    ///   ``ServiceError/Code/payloadTooLarge``, ``ServiceError/Code/timedOut``, ``ServiceError/Code/overloaded`` or,
    ///   for all other errors, ``ServiceError/Code/badRequest``. A refused address and an unreachable address have the
    ///   same message.
    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead
}

/// The metadata of a file in the server's response.
package struct FetchedHead: Sendable {
    /// The media type that the server sent; `nil` if it is missing or malformed.
    package let mediaType: MediaType?

    /// Creates the metadata.
    package init(mediaType: MediaType?) {
        self.mediaType = mediaType
    }
}
