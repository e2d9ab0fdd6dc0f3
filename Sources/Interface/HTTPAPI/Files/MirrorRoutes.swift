internal import Domain
internal import Hummingbird

/// `GET /mirror`: how many files are still on the origin of the mirror, for the master key (docs/mirror.md).
struct MirrorRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("mirror", use: status)
    }

    @Sendable private func status(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        try context.caller.requireMasterKey()
        guard let mirror = app.mirror else {
            throw ServiceError(.notAvailable, "The app has no mirror; set mirror.origin.")
        }
        let status = try await mirror.status(as: context.caller)
        let members: [String: JSONValue] = [
            "origin": .string(mirror.origin), "missing": .integer(Int64(status.missing)),
            "missingBytes": .integer(status.missingBytes), "mirrored": .integer(Int64(status.mirrored)),
            "created": .integer(Int64(status.created)), "failed": .integer(Int64(status.failed)),
        ]
        return JSONValue.object(members).response()
    }
}
