internal import Hummingbird
internal import HummingbirdCore

/// Finds the client of each request that a trusted proxy sent, before any limit counts it.
struct ProxyResponder<Base: HTTPResponder<APIContext>>: HTTPResponder {
    let base: Base
    let proxies: TrustedProxies

    func respond(to request: Request, context: APIContext) async throws -> Response {
        guard !proxies.networks.isEmpty,
            let peer = context.channel.remoteAddress?.host
        else { return try await base.respond(to: request, context: context) }
        var context = context
        context.forwardedClient = proxies.client(behind: peer, request.headers)
        return try await base.respond(to: request, context: context)
    }
}
