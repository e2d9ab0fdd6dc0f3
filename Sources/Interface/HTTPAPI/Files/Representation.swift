internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// What a URL stands for: bytes with a type, a tag and, if they never change, a date.
struct Representation {
    let mediaType: MediaType
    let size: Int64
    let tag: EntityTag
    /// `nil` for what may change: a date would be that of a record, not of the bytes.
    let modified: Timestamp?
    var caching = Caching.immutable
    /// Whether no other bytes ever had this URL and this date, so that a range may go on from bytes of that date.
    var isDateStrong = true

    /// Answers `GET` and `HEAD` with conditions and a range, in the order of RFC 9110 section 13.2.2.
    ///
    /// - Parameters:
    ///   - request: Its method, conditions and range decide the status.
    ///   - body: Makes the body of a range; not called for `HEAD`, 304 and 416.
    /// - Returns: 200, 206, 304, 412 or 416.
    func response(to request: Request, body: (Range<Int64>) async throws -> ResponseBody) async rethrows -> Response {
        var headers = headers
        guard isAsExpected(by: request.headers) else {
            return Response(status: .preconditionFailed, headers: headers)
        }
        if isUnchanged(for: request.headers) {
            // The length that a 200 would have (RFC 9110 section 8.6), not that of the missing body.
            headers[.contentLength] = String(size)
            return Response(status: .notModified, headers: headers)
        }
        var status = HTTPResponse.Status.ok
        var range = 0..<size
        // A range of a HEAD is passed over (RFC 9110 section 14.2).
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
            .contentType: mediaType.description,
            .eTag: tag.description,
            .cacheControl: caching.rawValue,
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
        // A date is an exact match or none: a client has the file, or an image that was made of it, perhaps in another
        // way than now, which is as good; or it knows another resource.
        return modified.map { $0.isNamed(by: headers[.ifModifiedSince]) } ?? false
    }
}

/// How long an answer can be cached.
enum Caching: String {
    /// Files never change.
    case immutable = "public, max-age=31536000, immutable"
    /// A file on another server can change, and so can the permission to read a record.
    case changing = "public, max-age=3600"
    /// The request had credentials.
    case personal = "private, no-cache"
}

/// A strong validator (RFC 9110 section 8.8.3): equal tags mean equal bytes.
struct EntityTag: CustomStringConvertible {
    /// With its quotes.
    let description: String

    init(strong text: String) {
        description = "\"\(text)\""
    }

    /// How tags are compared (RFC 9110 section 8.8.3.2).
    enum Comparison {
        /// A weak tag is equal to none.
        case strong
        /// Weakness does not matter.
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
    /// Whether a date of HTTP, in any of its forms, is this moment's second.
    func isNamed(by date: String?) -> Bool {
        guard let date else { return false }
        return date == httpDate || Timestamp(httpDate: date)?.wholeSeconds == wholeSeconds
    }
}
