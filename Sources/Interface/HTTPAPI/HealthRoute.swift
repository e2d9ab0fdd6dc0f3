internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Answers `GET /health`, whether all is well, and `GET /health?live`, whether the server answers at all.
///
/// Both read memory only. They are two, because a server with a full disk must not be killed for it: deletes, which
/// help, go through it.
struct HealthRoute: Sendable {
    let health: StorageHealth

    func add(to router: Router<APIContext>) {
        router.get("health") { request, _ in
            let parameters = request.uri.query?.split(separator: "&") ?? []
            let asksForLife = parameters.contains { $0 == "live" || $0.hasPrefix("live=") }
            let faults = asksForLife ? [] : health.faults
            guard let gravest = faults.first else { return JSONValue.object(["status": .string("ok")]).response() }
            let message = faults.map(\.message).joined(separator: " ")
            return JSONValue.object(["status": .string(gravest.rawValue), "error": .string(message)])
                .response(status: .serviceUnavailable)
        }
    }
}
