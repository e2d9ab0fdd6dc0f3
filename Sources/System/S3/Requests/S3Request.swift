/// A request about the bucket or one of its objects.
struct S3Request {
    let method: String
    /// The object's key; empty for the bucket itself.
    var key = ""
    /// Names and values of the query string, not encoded.
    var query: [(name: String, value: String)] = []
    /// Header fields beside those that every request has; they are signed.
    var headers: [(name: String, value: String)] = []
    /// `nil` for no body.
    var body: S3Body?
    /// The maximum bytes of a response that is stored in memory.
    var limit = 64 << 10
    /// Receives the head and the bytes of a 2xx body, which are not stored then.
    var receive: ((_ head: S3Response, _ bytes: UnsafeRawBufferPointer) throws(S3Error) -> Void)?

    init(_ method: String, _ key: String = "") {
        self.method = method
        self.key = key
    }
}

/// The body of a request; it can be read again from any offset.
struct S3Body {
    let size: Int64
    let digests: S3Digests
    /// Fills a buffer with the bytes from an offset on; returns their number.
    let read: (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws(S3Error) -> Int

    init(size: Int64, digests: S3Digests, read: @escaping S3Content.Read) {
        self.size = size
        self.digests = digests
        self.read = read
    }

    init(_ bytes: [UInt8]) {
        size = Int64(bytes.count)
        var hashing = S3Hashing()
        bytes.withUnsafeBytes { hashing.update($0) }
        digests = hashing.digests
        read = { buffer, offset in
            let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    /// A range of a file, which is read once for its digests.
    init(_ file: S3File, _ range: Range<Int64>) throws(S3Error) {
        size = range.upperBound - range.lowerBound
        digests = try file.digests(of: range)
        read = { buffer, offset throws(S3Error) in
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: range.count) - Int(offset)))
            return try file.read(into: rest, at: range.lowerBound + offset)
        }
    }
}

/// The response to a request.
struct S3Response {
    var status = 0
    /// Values by names in lower case.
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    /// The announced size of the body in bytes; `nil` without one.
    var length: Int64? { headers["content-length"].flatMap { Int64($0) } }

    /// The ETag without its quotation marks; `nil` without one.
    var tag: String? {
        headers["etag"].map { tag in tag.hasPrefix("\"") ? String(tag.dropFirst().prefix { $0 != "\"" }) : tag }
    }

    /// The values of `x-amz-meta-…` by the rest of their names.
    var metadata: [String: String] {
        let prefix = "x-amz-meta-"
        let fields = headers.filter { $0.key.hasPrefix(prefix) }
        return Dictionary(fields.map { (String($0.key.dropFirst(prefix.utf8.count)), $0.value) }) { $1 }
    }

    /// The body as XML; `nil` if it is none that the reader takes.
    var document: XMLElement? { try? XMLElement(parsing: body) }
}
