/// A blob that clients can get from its store, without this server.
package protocol RemoteBlob: Sendable {
    /// The size in bytes.
    var size: Int64 { get }

    /// A URL for `GET` of the blob and of its ranges, which needs no keys; a computation without a request.
    ///
    /// - Parameters:
    ///   - fields: Header fields of the responses.
    ///   - period: When it is valid; equal fields and periods make equal URLs.
    /// - Returns: The URL; until it ends, each client that has it gets the bytes. `nil` if the store cannot make one that is
    ///   valid for so long, because its own keys end earlier.
    func url(_ fields: RemoteBlobFields, _ period: RedirectPeriod) -> String?
}

/// Header fields of a response with a blob that its store sends.
package struct RemoteBlobFields: Sendable, Hashable {
    /// `Content-Type`.
    package let contentType: String
    /// `Cache-Control`.
    package let cacheControl: String
    /// `Content-Disposition`; `nil` for none.
    package let contentDisposition: String?

    /// Creates the fields from values that are valid in a header.
    package init(contentType: String, cacheControl: String, contentDisposition: String?) {
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.contentDisposition = contentDisposition
    }
}
