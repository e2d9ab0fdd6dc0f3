internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Responds to `GET` and `HEAD /ready`, which report whether the server can do all of its work.
///
/// It reads only memory, as ``HealthRoute`` does. The reasons are names and messages without paths and numbers, because
/// every client can read them. `X-Server-Id` is that of the metrics, so that a client knows whether both are of one server.
struct ReadinessRoute: Sendable {
    let readiness: Readiness

    func add(to router: Router<APIContext>) {
        router.get("ready") { _, _ in response() }
        router.head("ready") { _, _ in
            var response = response()
            response.leaveOutBody()
            return response
        }
    }

    private func response() -> Response {
        let obstacles = readiness.obstacles
        let headers: HTTPFields = [.serverID: readiness.serverID]
        guard !obstacles.isEmpty else {
            return JSONValue.object(["status": .string("ready")]).response(headers: headers)
        }
        let reasons = obstacles.map { obstacle in
            JSONValue.object(["name": .string(obstacle.rawValue), "message": .string(obstacle.message)])
        }
        return JSONValue.object([
            "status": .string("not ready"),
            "error": .string(obstacles.map(\.message).joined(separator: " ")),
            "reasons": .array(reasons),
        ])
        .response(status: .serviceUnavailable, headers: headers)
    }
}

extension HTTPField.Name {
    static let serverID = known("X-Server-Id")
}
