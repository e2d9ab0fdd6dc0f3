internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Responds to `GET` and `HEAD /health`, which report faults, and to `/health?live`, which reports only that the server
/// responds.
///
/// Both read only memory. They are separate, because a server with a full disk must not be restarted for it: it still
/// processes deletes, which free space.
struct HealthRoute: Sendable {
    let health: StorageHealth

    func add(to router: Router<APIContext>) {
        router.get("health") { request, _ in response(to: request) }
        router.head("health") { request, _ in
            var response = response(to: request)
            response.leaveOutBody()
            return response
        }
    }

    private func response(to request: Request) -> Response {
        let parameters = request.uri.query?.split(separator: "&") ?? []
        let asksForLife = parameters.contains { $0 == "live" || $0.hasPrefix("live=") }
        let faults = asksForLife ? [] : health.faults
        guard let gravest = faults.first else { return JSONValue.object(["status": .string("ok")]).response() }
        let message = faults.map(\.message).joined(separator: " ")
        return JSONValue.object(["status": .string(gravest.rawValue), "error": .string(message)])
            .response(status: .serviceUnavailable)
    }
}
