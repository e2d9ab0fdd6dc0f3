internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/trash`: deleted files that can be restored, for the master key (docs/trash.md).
struct TrashRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("trash", use: list)
        callers.delete("trash", use: empty)
        callers.post("trash/:file/restore", use: restore)
        callers.delete("trash/:file", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).trash
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let (most, usual) = TrashService.pageLimit
        let limit = try parameters.number("limit") ?? usual
        guard (1...most).contains(limit) else { throw ServiceError(.badRequest, "limit must be from 1 to \(most).") }
        let (entries, cursor) = try await service.entries(
            because: try reason(in: parameters),
            limit: limit,
            cursor: parameters.text("cursor"),
            as: context.caller
        )
        var members: [String: JSONValue] = ["results": .array(entries.map { .object(service.members(of: $0)) })]
        members["cursor"] = cursor.map(JSONValue.string)
        return JSONValue.object(members).response()
    }

    /// Removes one batch, so that a request takes a bounded time; the client repeats it until `removed` is 0.
    @Sendable private func empty(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).trash
        try context.caller.requireMasterKey()
        try requireFilters(request.uri.query)
        let parameters = try ObjectParameters(request)
        let removed = try await service.empty(
            because: try reason(in: parameters),
            before: try parameters.time("deletedBefore"),
            as: context.caller
        )
        return JSONValue.object(["removed": .integer(Int64(removed))]).response()
    }

    @Sendable private func restore(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).trash
        let file = try await service.restore(try file(context), as: context.caller)
        return JSONValue.object(file).response()
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).trash
        try await service.remove(try file(context), as: context.caller)
        return JSONValue.object([:]).response()
    }

    /// Throws unless each parameter has a known name and a value: without its filter, a request removes everything.
    private func requireFilters(_ query: String?) throws {
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.percentDecoded, ["reason", "deletedBefore"].contains(name) else {
                throw ServiceError(
                    .badRequest,
                    "The parameters can be reason and deletedBefore, not '\(pair.prefix(64))'."
                )
            }
            guard parts.count == 2, let value = parts[1].percentDecoded, value != "null" else {
                throw ServiceError(.badRequest, "\(name) must have a value.")
            }
        }
    }

    private func reason(in parameters: ObjectParameters) throws -> TrashEntry.Reason? {
        try parameters.text("reason").map { text in
            guard let reason = TrashEntry.Reason(rawValue: text) else {
                throw ServiceError(.badRequest, "reason must be deleted or collected.")
            }
            return reason
        }
    }

    private func file(_ context: CallerContext) throws -> ObjectID {
        try context.caller.requireMasterKey()
        guard let id = ObjectID(try context.parameters.require("file")) else {
            throw ServiceError(.objectNotFound, "The trash has no such file.")
        }
        return id
    }
}
