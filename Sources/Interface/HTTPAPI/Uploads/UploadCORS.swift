internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Responds to CORS preflight requests for uploads, and exposes response headers to scripts (protocol/files 1.3).
///
/// Apps add their own headers to uploads, so every requested header is allowed; the URL is the upload's credential.
/// `OPTIONS` without a preflight header belongs to tus and is passed on.
struct UploadCORS: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let segments = request.uri.path.split(separator: "/").prefix(2)
        guard segments.count == 2, ["1", "1.1"].contains(segments[0]), ["upload", "uploads"].contains(segments[1])
        else {
            return try await next(request, context)
        }
        guard request.method == .options, request.headers.contains(.accessControlRequestMethod) else {
            var response = try await next(request, context)
            response.headers[.accessControlAllowOrigin] = "*"
            response.headers[.accessControlExposeHeaders] = UploadCORS.exposed
            return response
        }
        var headers: HTTPFields = [
            .accessControlAllowOrigin: "*",
            .accessControlAllowMethods: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            .accessControlMaxAge: "86400",
        ]
        headers[.accessControlAllowHeaders] =
            request.headers[.accessControlRequestHeaders] ?? "Authorization, Content-Type, Cache-Control"
        // The same status as for tus's OPTIONS.
        guard segments[1] == "uploads" else { return Response(status: .noContent, headers: headers) }
        headers[.contentLength] = "0"
        return Response(status: .ok, headers: headers)
    }

    private static let exposed = [
        HTTPField.Name.eTag, .location, .tusResumable, .tusVersion, .tusExtension, .tusMaxSize, .tusChecksumAlgorithm,
        .uploadOffset, .uploadLength, .uploadDeferLength, .uploadMetadata, .uploadConcat, .uploadExpires, .objectID,
        .fileURL, .requestID, .known("X-Reqid"),
    ].map(\.rawName).joined(separator: ", ")
}
