internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/censorship/known`: the images that are blocked wherever they are uploaded, for the master key (docs/censorship.md).
struct KnownImageRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("censorship/known", use: list)
        callers.post("censorship/known", use: add)
        callers.delete("censorship/known/:entry", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let listing = try await service.knownImages(
            limit: try parameters.pageLimit(),
            cursor: parameters.text("cursor"),
            as: context.caller
        )
        return JSONValue.object(listing.members).response()
    }

    @Sendable private func add(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        return try await bodies.json(of: request, context) { json in
            let body = try CensorBody(json)
            guard let images = body.members["images"]?.arrayValue else {
                throw ServiceError(.badRequest, "images must be an array.")
            }
            let added = try await service.addKnown(images, by: try body.name(), as: context.caller)
            return JSONValue.object(["added": .integer(Int64(added))]).response()
        }
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        guard let id = ObjectID(try context.parameters.require("entry")) else {
            throw ServiceError(.objectNotFound, "There is no such entry.")
        }
        try await service.removeKnown(id, as: context.caller)
        return JSONValue.object([:]).response()
    }
}
