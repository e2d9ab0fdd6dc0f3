internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// What browsers ask before they upload, and what they may see of the answers (protocol/files 1.3).
///
/// Apps give uploads headers of their own, so whatever a browser asks for is allowed; the address is what protects an
/// upload. `OPTIONS` without a browser's question is tus's own and goes on.
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
        // The same status as tus's own OPTIONS.
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
