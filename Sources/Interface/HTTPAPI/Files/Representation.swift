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

    /// Responds to `GET` and `HEAD` with conditions and a range, in the order of RFC 9110 section 13.2.2.
    ///
    /// - Parameters:
    ///   - request: The request; its method, conditions and range determine the status.
    ///   - body: Creates the body of a range; not called for `HEAD`, 304 and 416.
    /// - Returns: 200, 206, 304, 412 or 416.
    func response(to request: Request, body: (Range<Int64>) async throws -> ResponseBody) async rethrows -> Response {
        var headers = headers
        guard isAsExpected(by: request.headers) else {
            return Response(status: .preconditionFailed, headers: headers)
        }
        if isUnchanged(for: request.headers) {
            // The length of a 200 response (RFC 9110 section 8.6), not of the missing body.
            headers[.contentLength] = String(size)
            return Response(status: .notModified, headers: headers)
        }
        var status = HTTPResponse.Status.ok
        var range = 0..<size
        // The range of a HEAD request is ignored (RFC 9110 section 14.2).
        let date = isDateStrong ? modified : nil
        let wanted = request.method == .get ? ByteRange(request.headers, of: size, tag: tag, modified: date) : .whole
        switch wanted {
        case .whole:
            break
        case .part(let part):
            status = .partialContent
            range = part
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(size)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
        headers[.contentLength] = String(range.count)
        return Response(
            status: status,
            headers: headers,
            body: request.method == .head ? ResponseBody() : try await body(range)
        )
    }

    private var headers: HTTPFields {
        var headers: HTTPFields = [
            .contentType: mediaType.headerValue,
            .eTag: tag.description,
            .cacheControl: caching.headerValue,
            .acceptRanges: "bytes",
            .accessControlAllowOrigin: "*",
            .xContentTypeOptions: "nosniff",
        ]
        headers[.lastModified] = modified?.httpDate
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
        case .personal: "private, no-cache"
        case .never: "no-store"
        }
    }

    /// The shorter of the two; ``personal`` and ``never`` stay.
    func atMost(seconds: Int) -> Caching {
        switch self {
        case .immutable: .limited(seconds: seconds)
        case .limited(let own): .limited(seconds: min(own, seconds))
        case .personal, .never: self
        }
    }
}

/// A strong validator (RFC 9110 section 8.8.3): equal tags mean equal bytes.
struct EntityTag: CustomStringConvertible {
    /// The tag with its quotes.
    let description: String

    init(strong text: String) {
        description = "\"\(text)\""
    }

    /// How tags are compared (RFC 9110 section 8.8.3.2).
    enum Comparison {
        /// A weak tag matches no tag.
        case strong
        /// The prefix for weak tags is ignored.
        case weak
    }

    /// Whether a list of tags, or `*`, names this one (RFC 9110 sections 13.1.1, 13.1.2).
    func isAmong(_ list: String, comparison: Comparison) -> Bool {
        list.split(separator: ",").contains { entry in
            let entry = entry.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            let text = comparison == .weak ? entry.trimmingPrefix("W/") : entry
            return entry == "*" || text == description
        }
    }
}

extension Timestamp {
    /// Whether an HTTP date, in any of its forms, is this time in whole seconds.
    func isNamed(by date: String?) -> Bool {
        guard let date else { return false }
        return date == httpDate || Timestamp(httpDate: date)?.wholeSeconds == wholeSeconds
    }
}
