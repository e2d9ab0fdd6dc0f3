internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// What surrounds the routes of objects: warnings about parameters, and the compression of long responses.
///
/// One middleware for the same reason as ``APIMiddleware``.
struct ObjectMiddleware: RouterMiddleware {
    /// Whether responses are compressed for clients that accept it.
    let compresses: Bool

    func handle(
        _ request: Request,
        context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if compresses {
            response = try await JSONCompression.compressed(response, to: request, on: context.channel.eventLoop)
        }
        ParameterWarnings.add(to: &response, for: request)
        return response
    }
}
