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
    ///   for all other errors, ``ServiceError/Code/badRequest``, whose cause is a ``RefusedStatus`` if the server
    ///   answered. A refused address and an unreachable address have the same message.
    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead
}

/// The metadata of a file in the server's response.
package struct FetchedHead: Sendable {
    /// The media type that the server sent, with its charset; `nil` if it is missing or malformed.
    package let mediaType: MediaType?
    /// The entity tag as sent; `nil` if the server sent none.
    package let tag: String?
    /// Whether the server sent the bytes in a content coding, such as gzip, although none was requested.
    package let isEncoded: Bool

    /// Creates the metadata.
    package init(mediaType: MediaType?, tag: String? = nil, isEncoded: Bool = false) {
        self.mediaType = mediaType
        self.tag = tag
        self.isEncoded = isEncoded
    }
}

/// The cause of a fetch's ``ServiceError``: a response with a status that is not success.
package struct RefusedStatus: Error, Sendable, Hashable {
    /// The status code.
    package let status: Int

    /// Creates the cause.
    package init(status: Int) {
        self.status = status
    }
}
