/// A request; the bytes of its body are read while it is sent.
struct Request: Sendable {
    /// `GET`, `POST`, … in capitals.
    let method: String
    /// The complete URL, percent-encoded.
    let url: String
    /// Lines such as `X-LC-Id: …`.
    var headers: [String] = []
    /// The body; `nil` for a request without one.
    var body: RequestBody?
    /// Whether the request can be sent again although the server may have processed it.
    var isIdempotent: Bool
    /// Whether redirects are followed; only for downloads, which have no credentials.
    var followsRedirects = false
    /// Called on the transfer's thread with the number of bytes of the body that were sent; it decreases if the body is
    /// sent again.
    var sent: (@Sendable (Int64) -> Void)?
    /// Receives the body of a 2xx response piece by piece on the transfer's thread; without it the response has the
    /// body.
    var receive: (@Sendable (_ head: Response, _ bytes: UnsafeRawBufferPointer) throws -> Void)?

    init(_ method: String, _ url: String, isIdempotent: Bool? = nil) {
        self.method = method
        self.url = url
        self.isIdempotent = isIdempotent ?? (method != "POST")
    }
}

/// The bytes of a request's body.
struct RequestBody: Sendable {
    /// The number of bytes.
    let size: Int64
    /// Fills the buffer with bytes from an offset on and returns their number, at least 1 before the end.
    let read: @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws -> Int

    /// A body in memory.
    init(_ bytes: [UInt8]) {
        size = Int64(bytes.count)
        read = { buffer, offset in
            guard offset < bytes.count else { return 0 }
            let rest = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: rest)
            return rest.count
        }
    }

    init(
        size: Int64,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws -> Int
    ) {
        self.size = size
        self.read = read
    }

    /// The bytes of this body in a range.
    func slice(_ range: Range<Int64>) -> RequestBody {
        RequestBody(size: range.upperBound - range.lowerBound) { buffer, offset in
            let rest = range.upperBound - range.lowerBound - offset
            let window = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(rest, Int64(buffer.count)))))
            return window.isEmpty ? 0 : try read(window, range.lowerBound + offset)
        }
    }
}

/// A status with the header fields, by their names in lower case, and the body.
struct Response: Sendable {
    var status = 0
    var headers: [String: String] = [:]
    var body: [UInt8] = []
}
