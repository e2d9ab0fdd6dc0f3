/// How a client transfers: connections, speed, patience.
public struct FileClientOptions: Sendable {
    /// The maximum number of requests at the same time, at least 1; further requests wait.
    ///
    /// A client begins with 4 and approaches the maximum while the server answers; 429 and 503 halve the number.
    public var connections = 8
    /// The maximum rate of all transfers of the client together, in bytes per second; `nil` for no limit.
    public var bandwidth: Int?
    /// The maximum number of requests that begin within a second; `nil` for no limit.
    public var requestsPerSecond: Int?
    /// Whether and when a failed request is sent again.
    public var retries = RetryPolicy()
    /// Seconds for making a connection.
    public var connectTimeout = 10
    /// Seconds after which a transfer without a byte in either direction is given up.
    public var idleTimeout = 60
    /// The size in bytes from which a file is sent by a resumable upload.
    ///
    /// Smaller files are sent in one request, which starts again from the beginning if it fails.
    public var resumableSize: Int64 = 16 << 20
    /// The size in bytes of one request of a resumable upload.
    public var pieceSize: Int64 = 64 << 20
    /// The number of bytes of a stream that are held in memory; an upload of a stream holds two such pieces.
    public var streamPieceSize = 8 << 20
    /// The maximum number of bytes of a download whose size neither a record nor the server says.
    public var maxUnannouncedSize: Int64 = 16 << 30
    /// Whether the server's certificate must be for its name, and from an authority that this machine trusts.
    var verifiesCertificates = true
    /// The `User-Agent` of all requests.
    public var userAgent = "lcfile"

    /// Creates the default options.
    public init() {}
}
