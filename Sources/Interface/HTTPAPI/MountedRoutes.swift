internal import Domain
package import Hummingbird
package import HummingbirdCore

/// Routes beside the API, under a folder of their own: the console.
package protocol MountedRoutes: Sendable {
    /// Whether these routes answer a request; all others are answered as if there were no such routes.
    func serve(_ request: Request, _ context: APIContext) -> Bool

    /// Adds the routes.
    ///
    /// - Parameters:
    ///   - pages: For routes whose requests are logged here.
    ///   - calls: For routes that pass their requests on to the API, which logs them.
    ///   - api: The API.
    func add(pages: RouterGroup<APIContext>, calls: RouterGroup<APIContext>, api: MountedAPI)
}

/// The API, as routes beside it use it.
package struct MountedAPI: Sendable {
    let base: any HTTPResponder<APIContext>
    let log: RequestLog

    /// Answers a request of the API, with its credentials in the header fields.
    ///
    /// - Throws: Errors of the connection; a refusal is a response.
    package func respond(to request: Request, context: APIContext) async throws -> Response {
        try await base.respond(to: request, context: context)
    }

    /// Answers a request that does not reach the API, and logs it.
    ///
    /// - Throws: Errors of the connection.
    package func refuse(_ request: Request, with error: any Error, context: APIContext) async throws -> Response {
        try await log.handle(request, context: context) { request, context in
            ErrorRenderer.response(to: error, method: request.method, context: context)
        }
    }
}

/// Answers the requests of the mounted routes.
struct MountResponder: HTTPResponder {
    private let mounted: any MountedRoutes
    private let routes: any HTTPResponder<APIContext>

    /// - Parameters:
    ///   - mounted: Has the routes.
    ///   - api: The API, as they use it.
    init(_ mounted: any MountedRoutes, api: MountedAPI) {
        self.mounted = mounted
        let router = Router(context: APIContext.self)
        let calls = router.group().add(middleware: ErrorRenderer())
        let pages = router.group().add(middleware: api.log).add(middleware: ErrorRenderer())
        mounted.add(pages: pages, calls: calls, api: api)
        routes = router.buildResponder()
    }

    /// Whether these routes answer a request.
    func serves(_ request: Request, _ context: APIContext) -> Bool { mounted.serve(request, context) }

    func respond(to request: Request, context: APIContext) async throws -> Response {
        try await routes.respond(to: request, context: context)
    }
}
