internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Says on every answer which tus this is, also on refusals, and answers `OPTIONS`.
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

    /// What a client asks for before anything else; 200 as in tusd, because some browsers take nothing else.
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
