internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Adds the tus version to every response, including errors, and responds to `OPTIONS`.
struct TusMiddleware: RouterMiddleware {
    let largest: Int64

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = ErrorRenderer.response(to: error, method: request.method, context: context)
        }
        response.headers[.tusResumable] = TusHeaders.version
        if response.status == .preconditionFailed { response.headers[.tusVersion] = TusHeaders.version }
        return response
    }

    /// The response to `OPTIONS`; 200 as in tusd, because some browsers accept no other status.
    @Sendable func options(_ request: Request, _ context: APIContext) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentLength: "0",
                .tusVersion: TusHeaders.version,
                .tusExtension: TusHeaders.extensions.joined(separator: ","),
                .tusMaxSize: String(largest),
                .tusChecksumAlgorithm: TusHeaders.algorithms.map(\.rawValue).joined(separator: ","),
            ]
        )
    }
}
