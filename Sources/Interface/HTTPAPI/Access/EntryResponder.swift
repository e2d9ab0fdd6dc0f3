internal import Hummingbird
internal import HummingbirdCore

/// Decides which responder gets a request, after it has found the client of a request that a trusted proxy sent, before
/// any limit counts it.
///
/// It is one responder, because each one that passes a request on copies it and its context.
struct EntryResponder<Routes: HTTPResponder<APIContext>>: HTTPResponder {
    /// The routes of the API.
    let routes: Routes
    /// Answers the tunnelled ones of their requests.
    let tunnel: TunnelResponder<Routes>
    /// The routes beside the API; `nil` for none.
    let mount: MountResponder?
    let proxies: TrustedProxies

    func respond(to request: Request, context: APIContext) async throws -> Response {
        var context = context
        context.noteClient(namedBy: proxies, in: request.headers)
        // Without the tunnel, whose credentials would replace those of the console.
        if let mount, mount.serves(request, context) { return try await mount.respond(to: request, context: context) }
        if tunnel.isTunnelled(request) { return try await tunnel.respond(to: request, context: context) }
        return try await routes.respond(to: request, context: context)
    }
}
