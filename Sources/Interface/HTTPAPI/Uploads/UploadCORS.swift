internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Responds to CORS preflight requests for uploads, and exposes response headers to scripts (protocol/files 1.3).
///
/// Apps add their own headers to uploads, so every requested header is allowed; the URL is the upload's credential.
/// `OPTIONS` without a preflight header belongs to tus and is passed on.
enum UploadCORS {
    /// Whether a request is for the URL of an upload.
    static func concerns(_ request: Request) -> Bool {
        // Most paths differ in a few bytes, and splitting one takes longer.
        let path = request.uri.path.utf8.drop { $0 == UInt8(ascii: "/") }
        guard path.first == UInt8(ascii: "1") else { return false }
        let second = path.starts(with: "1.1/".utf8) ? path.dropFirst(4).drop { $0 == UInt8(ascii: "/") } : nil
        if let second, second.first != UInt8(ascii: "u") { return false }
        let segments = request.segments
        return segments.count >= 2 && ["1", "1.1"].contains(segments[0]) && ["upload", "uploads"].contains(segments[1])
    }

    /// The response to a preflight request for an upload; `nil` for all other requests.
    static func preflight(_ request: Request) -> Response? {
        guard request.method == .options, request.headers.contains(.accessControlRequestMethod), concerns(request)
        else {
            return nil
        }
        var headers: HTTPFields = [
            .accessControlAllowOrigin: "*",
            .accessControlAllowMethods: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            .accessControlMaxAge: "86400",
        ]
        headers[.accessControlAllowHeaders] =
            request.headers[.accessControlRequestHeaders] ?? "Authorization, Content-Type, Cache-Control"
        // The same status as for tus's OPTIONS.
        guard request.segments.dropFirst().first == "uploads" else {
            return Response(status: .noContent, headers: headers)
        }
        headers[.contentLength] = "0"
        return Response(status: .ok, headers: headers)
    }

    /// Allows scripts of all origins to read a response.
    static func allow(_ response: inout Response) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = UploadCORS.exposed
    }

    private static let exposed = [
        HTTPField.Name.eTag, .location, .tusResumable, .tusVersion, .tusExtension, .tusMaxSize, .tusChecksumAlgorithm,
        .uploadOffset, .uploadLength, .uploadDeferLength, .uploadMetadata, .uploadConcat, .uploadExpires, .objectID,
        .fileURL, .requestID, .known("X-Reqid"),
    ].map(\.rawName).joined(separator: ", ")
}
