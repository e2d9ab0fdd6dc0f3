internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// What surrounds every route, from outside to inside: the log, CORS, the rendering of errors, and `100 Continue`.
///
/// It is one middleware, because Hummingbird calls three asynchronous functions for each, all of which copy the request
/// and its context. One for each concern took as much time as the rest of a short request.
struct APIMiddleware: RouterMiddleware {
    /// Records each request.
    let log: RequestLog
    private let preflights = CORSMiddleware.api

    init(log: RequestLog) {
        self.log = log
    }

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        if let preflight = UploadCORS.preflight(request) {
            response = preflight
        } else {
            do {
                if request.method == .options, request.headers.contains(.origin) {
                    // Hummingbird's middleware answers these without a route.
                    response = try await preflights.handle(request, context: context) { _, _ in
                        Response(status: .noContent)
                    }
                } else {
                    response = try await next(request.askingForBody(on: context.channel), context)
                }
            } catch {
                response = ErrorRenderer.response(to: error, method: request.method, context: context)
            }
            allow(&response, to: request)
        }
        log.record(&response, to: request, context, since: start)
        return response
    }

    /// Allows scripts of other origins to read a response.
    private func allow(_ response: inout Response, to request: Request) {
        if request.method != .options, request.headers.contains(.origin) {
            ExposedHeaders.add(to: &response)
            response.headers[.accessControlAllowOrigin] = "*"
        }
        if UploadCORS.concerns(request) { UploadCORS.allow(&response) }
    }
}
