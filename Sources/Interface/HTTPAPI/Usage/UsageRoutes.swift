internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/usage`: how much space the app's files use, for the master key (docs/http-api.md).
struct UsageRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("usage", use: total)
        callers.get("usage/groups", use: groups)
    }

    @Sendable private func total(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).usage
        let usage = try await service.total(as: context.caller)
        var members = Usage.fields.mapValues { JSONValue.integer(usage[keyPath: $0]) }
        members["quota"] = service.quota.map(JSONValue.integer)
        members["trashKeep"] = .integer(Int64(service.trash.keep))
        members["trashKeepCollected"] = .integer(Int64(service.trash.keepCollected))
        return JSONValue.object(members).response()
    }

    @Sendable private func groups(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).usage
        try context.caller.requireMasterKey()
        let (groups, cursor) = try await service.groups(
            after: try ObjectParameters(request).cursor(),
            as: context.caller
        )
        let results = groups.sorted { ($0.key.mediaType, $0.key.month) < ($1.key.mediaType, $1.key.month) }
        var members: [String: JSONValue] = [
            "results": .array(
                results.map { group, usage in
                    .object([
                        "mime_type": .string(group.mediaType), "month": .string(group.month),
                        "files": .integer(usage.files), "bytes": .integer(usage.bytes),
                    ])
                }
            )
        ]
        members["cursor"] = cursor.map { .string($0.description) }
        return JSONValue.object(members).response()
    }
}
