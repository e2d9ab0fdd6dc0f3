internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The representation of a URL: bytes with a type, an entity tag and, if they never change, a date.
struct Representation {
    let mediaType: MediaType
    let size: Int64
    let tag: EntityTag
    /// `nil` if the bytes can change, because the date is that of a record.
    let modified: Timestamp?
    var caching = Caching.immutable
    /// Whether the URL never had other bytes with this date, so that a range can continue bytes of that date.
    var isDateStrong = true
    /// The value of `Repr-Digest`; `nil` if no digest of the bytes is known that RFC 9530 recommends.
    var digest: String?

    /// Responds to `GET` and `HEAD` with conditions and ranges, in the order of RFC 9110 section 13.2.2.
    ///
    /// - Parameters:
    ///   - request: The request; its method, conditions and ranges determine the status.
    ///   - body: Creates the body from its pieces; not called for `HEAD`, 304, 412 and 416.
    /// - Returns: 200, 206, 304, 412 or 416.
    func response(to request: Request, body: ([BodyPiece]) async throws -> ResponseBody) async rethrows -> Response {
        guard isAsExpected(by: request.headers) else { return refusal(.preconditionFailed) }
        if isUnchanged(for: request.headers) { return notModified }
        var headers = headers
        var status = HTTPResponse.Status.partialContent
        var pieces: [BodyPiece]
        // The range of a HEAD request is ignored (RFC 9110 section 14.2).
        let date = isDateStrong ? modified : nil
        switch request.method == .get ? ByteRange(request.headers, of: size, tag: tag, modified: date) : .whole {
        case .whole:
            status = .ok
            pieces = [.range(0..<size)]
        case .part(let range):
            pieces = [.range(range)]
            headers[.contentRange] = range.contentRange(of: size)
        case .parts(let ranges):
            let parts = MultipartRanges(ranges, of: size, mediaType: mediaType)
            pieces = parts.pieces
            headers[.contentType] = parts.contentType
        case .unsatisfiable:
            return refusal(.rangeNotSatisfiable, contentRange: "bytes */\(size)")
        }
        headers[.contentLength] = String(pieces.map(\.length).reduce(0, +))
        return Response(
            status: status,
            headers: headers,
            body: request.method == .head ? ResponseBody() : try await body(pieces)
        )
    }

    /// The response without a body to a client that has the bytes.
    private var notModified: Response {
        var response = Response(status: .notModified, headers: Representation.notModified(headers))
        // Hummingbird has added the length of the missing body.
        response.headers[.contentLength] = nil
        return response
    }

    /// The fields of a 304, from those of a 200 with all bytes.
    static func notModified(_ headers: HTTPFields) -> HTTPFields {
        var headers = headers
        // They describe content, which this response does not have; a client keeps those that it stored.
        headers[.contentType] = nil
        headers[.acceptRanges] = nil
        // The length would be that of a 200 response (RFC 9110 section 8.6). But some clients wait for as many bytes, and
        // with HTTP/2 others take a stream that ends without them for cut off (RFC 9113 section 8.1.1).
        headers[.contentLength] = nil
        return headers
    }

    /// The response without a body to conditions that do not hold, and to ranges beyond the end.
    private func refusal(_ status: HTTPResponse.Status, contentRange: String? = nil) -> Response {
        var headers: HTTPFields = [
            .eTag: tag.description,
            // A cache would use it for later requests without these conditions and ranges.
            .cacheControl: Caching.never.headerValue,
            .acceptRanges: "bytes",
            .accessControlAllowOrigin: "*",
            .accessControlExposeHeaders: ExposedHeaders.ofDownloads,
        ]
        headers[.contentRange] = contentRange
        return Response(status: status, headers: headers)
    }

    private var headers: HTTPFields {
        var headers: HTTPFields = [
            .contentType: mediaType.headerValue,
            .eTag: tag.description,
            .cacheControl: caching.headerValue,
            .acceptRanges: "bytes",
            .accessControlAllowOrigin: "*",
            .accessControlExposeHeaders: ExposedHeaders.ofDownloads,
            .xContentTypeOptions: "nosniff",
        ]
        headers[.lastModified] = modified?.httpDate
        headers[.reprDigest] = digest
        if !mediaType.isPassive {
            headers[.contentSecurityPolicy] = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
        }
        return headers
    }

    /// Whether `If-Match` and `If-Unmodified-Since` hold (RFC 9110 sections 13.1.1, 13.1.4).
    private func isAsExpected(by headers: HTTPFields) -> Bool {
        if let tags = headers[.ifMatch] { return tag.isAmong(tags, comparison: .strong) }
        let date = headers[.ifUnmodifiedSince].flatMap { Timestamp(httpDate: $0) }
        guard let modified, let date else { return true }
        return modified.wholeSeconds <= date.wholeSeconds
    }

    private func isUnchanged(for headers: HTTPFields) -> Bool {
        if let tags = headers[.ifNoneMatch] { return tag.isAmong(tags, comparison: .weak) }
        // Only an equal date means that the client has the file, or a derivative of it, which can be rendered
        // differently now but is equally valid; any other date is that of another resource.
        return modified.map { $0.isNamed(by: headers[.ifModifiedSince]) } ?? false
    }
}

/// How long clients can cache a response.
enum Caching: Hashable {
    /// Files never change.
    case immutable
    /// The file can be blocked later, or it is on another server and can change, and so can the permission to read a
    /// record.
    case limited(seconds: Int)
    /// The URL has a signature, which expires.
    case signed(seconds: Int)
    /// The request had credentials.
    case personal
    /// The answer is right only now.
    case never

    /// An hour.
    static let changing = Caching.limited(seconds: 3600)

    /// The value of `Cache-Control`.
    var headerValue: String {
        switch self {
        case .immutable: "public, max-age=31536000, immutable"
        case .limited(let seconds): "public, max-age=\(seconds)"
        case .signed(let seconds): "private, max-age=\(seconds)"
        case .personal: "private, no-cache"
        case .never: "no-store"
        }
    }

    /// The shorter of the two; ``personal`` and ``never`` stay.
    func atMost(seconds: Int) -> Caching {
        switch self {
        case .immutable: .limited(seconds: seconds)
        case .limited(let own): .limited(seconds: min(own, seconds))
        case .signed(let own): .signed(seconds: min(own, seconds))
        case .personal, .never: self
        }
    }

    /// The same without shared caches, at most until the signature expires.
    func signed(seconds: Int) -> Caching {
        switch self {
        case .immutable: .signed(seconds: seconds)
        case .limited(let own), .signed(let own): .signed(seconds: min(own, seconds))
        case .personal, .never: self
        }
    }
}
