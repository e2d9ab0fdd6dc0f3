internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/collections`: the search for files that no object refers to, for the master key (docs/trash.md).
struct CollectionRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("collections", use: begin)
        callers.post("collections/:collection/scan", use: scan)
        callers.get("collections/:collection/files", use: files)
        callers.post("collections/:collection/files", use: collect)
        callers.delete("collections/:collection", use: end)
    }

    @Sendable private func begin(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).collections
        try context.caller.requireMasterKey()
        return try await bodies.json(of: request, context) { json in
            let collection = try await service.begin(try CollectionOrder.parse(json), as: context.caller)
            var members = self.members(of: collection.progress)
            members["objectId"] = .string(collection.id.description)
            return JSONValue.object(members).response(status: .created)
        }
    }

    @Sendable private func scan(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).collections
        let progress = try await service.scan(try collection(context), as: context.caller)
        return JSONValue.object(members(of: progress)).response()
    }

    @Sendable private func files(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let (records, cursor) = try await app.collections.files(
            of: try collection(context),
            after: try ObjectParameters(request).cursor(),
            as: context.caller
        )
        return JSONValue.object(page(records, cursor, app)).response()
    }

    @Sendable private func collect(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let id = try collection(context)
        let parameters = try ObjectParameters(request)
        let (records, saved, cursor) = try await app.collections.collect(
            id,
            after: try parameters.cursor(),
            as: context.caller
        )
        var members = page(records, cursor, app)
        members["saved"] = .integer(Int64(saved))
        return JSONValue.object(members).response()
    }

    @Sendable private func end(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).collections
        try service.end(try collection(context), as: context.caller)
        return JSONValue.object([:]).response()
    }

    private func members(of progress: FileCollection.Progress) -> [String: JSONValue] {
        [
            "scanned": .integer(Int64(progress.scanned)), "total": .integer(Int64(progress.total)),
            "complete": .bool(progress.isComplete),
        ]
    }

    private func page(_ records: [StoredObject], _ cursor: ObjectID?, _ app: AppServices) -> [String: JSONValue] {
        let files = records.compactMap { try? FileRecord(stored: $0) }
        var members: [String: JSONValue] = [
            "results": .array(
                files.map { file in
                    var members = app.presentation.members(of: file)
                    members["size"] = .integer(file.facts.size)
                    return .object(members)
                }
            )
        ]
        members["cursor"] = cursor.map { .string($0.description) }
        return members
    }

    private func collection(_ context: CallerContext) throws -> ObjectID {
        try context.caller.requireMasterKey()
        guard let id = ObjectID(try context.parameters.require("collection")) else {
            throw ServiceError(.objectNotFound, "There is no such collection.")
        }
        return id
    }
}
