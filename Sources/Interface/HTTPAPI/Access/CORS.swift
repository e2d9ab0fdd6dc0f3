internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

extension CORSMiddleware where Context == APIContext {
    /// The CORS headers of the official implementation (protocol/files 1.3), for the API and the file host.
    static var api: CORSMiddleware {
        CORSMiddleware(
            allowOrigin: .all,
            // After `Content-Type`, the headers of conditional and range requests (RFC 9110 sections 13 and 14).
            allowHeaders: [
                .contentType, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
            ] + HTTPField.Name.appID + HTTPField.Name.appKey + HTTPField.Name.masterKey
                + HTTPField.Name.signature + HTTPField.Name.session + HTTPField.Name.production + HTTPField.Name.client,
            allowMethods: [.head, .get, .post, .put, .delete, .options],
            maxAge: .hours(24)
        )
    }
}

/// Exposes headers of responses to scripts of other origins.
///
/// Hummingbird's middleware names them in the responses to preflight requests only, where browsers ignore them: the
/// response itself must have the field (Fetch standard, section 3.3.3). Downloads have CORS headers of their own, with
/// ``ExposedHeaders/ofDownloads``, also without an `Origin`: their prepared responses are the same for all clients.
enum ExposedHeaders {
    /// Adds the field to a response to a script of another origin.
    static func add(to response: inout Response) {
        guard !response.headers.contains(.accessControlAllowOrigin) else { return }
        response.headers[.accessControlExposeHeaders] = ExposedHeaders.value
    }

    /// The field of downloads.
    ///
    /// Programs that read a part of a PDF or a Parquet file need the fields of ranges.
    static let ofDownloads = [
        HTTPField.Name.eTag, .contentLength, .contentRange, .acceptRanges, .contentDisposition, .reprDigest, .requestID,
    ].map(\.rawName).joined(separator: ", ")

    /// The fields that scripts can use; `Content-Type` and `Last-Modified` need no mention.
    private static let value = [
        HTTPField.Name.eTag, .contentLength, .contentRange, .acceptRanges, .retryAfter, .requestID,
        ParameterWarnings.field,
    ].map(\.rawName).joined(separator: ", ")
}
