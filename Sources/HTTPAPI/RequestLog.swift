internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// Says of every request what was asked, what was answered and how long it took; and tells the client the id under
/// which the log has it.
///
/// Queries and headers are left out: they may hold keys. So may the path of an upload: its token is left out.
struct RequestLog: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response = try await next(request, context)
        response.headers[.requestID] = context.id
        if context.logger.logLevel <= .info {
            let elapsed = start.duration(to: .now).components
            let milliseconds = elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000
            context.logger.info(
                "Request",
                metadata: [
                    "method": "\(request.method)",
                    "path": "\(request.uri.path.withoutToken)",
                    "status": "\(response.status.code)",
                    "ms": "\(milliseconds)",
                ]
            )
        }
        return response
    }
}

extension String {
    /// A path without the token of an upload.
    fileprivate var withoutToken: String {
        var words = split(separator: "/")
        guard words.count > 2, words[1] == "upload" || words[1] == "uploads" else { return self }
        words[2] = "…"
        return "/" + words.joined(separator: "/")
    }
}

extension HTTPField.Name {
    static let requestID = known("X-Request-Id")
}
