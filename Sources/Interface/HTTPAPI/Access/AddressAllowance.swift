internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Counts the requests of each client address to routes whose credential is their URL, as ``Authentication`` counts
/// those with an app's key (docs/security.md, Load).
struct AddressAllowance: RouterMiddleware {
    let limits: RequestLimits

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        try limits.takeRequest(from: context.clientAddress)
        return try await next(request, context)
    }
}
