internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Single objects, queries and scans (protocol/data 3, 4).
struct ObjectRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("classes/:class", use: perform)
        callers.post("classes/:class", use: perform)
        for method in [HTTPRequest.Method.get, .put, .delete] {
            callers.on("classes/:class/:id", method: method, use: perform)
        }
        // Statuses have routes of their own, except in batches.
        for collection in ObjectPath.collections.keys.sorted() where collection != "statuses" {
            callers.get("\(collection)", use: perform)
            // Uploads create files, and their routes call this path segment `:file`.
            let isFiles = collection == "files"
            if !isFiles { callers.post("\(collection)", use: perform) }
            for method in [HTTPRequest.Method.get, .put, .delete] {
                callers.on("\(collection)/\(isFiles ? ":file" : ":id")", method: method, use: perform)
            }
        }
        callers.get("scan/classes/:class", use: scan)
    }

    @Sendable private func perform(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard request.method != .get else { return try await perform(request, context, .null) }
        return try await bodies.json(of: request, context) { body in try await perform(request, context, body) }
    }

    private func perform(_ request: Request, _ context: CallerContext, _ body: JSONValue) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let path = try ObjectPath(request.segments.dropFirst().map(\.decodedSegment))
        if path.className == .file, path.ids.isEmpty, request.method == .post, RemoteFile.isCopy(body) {
            return try await RemoteFile(app: app, caller: context.caller, channel: context.channel)
                .answer(body, name: nil)
        }
        let command = try app.decoder.command(
            request.method.rawValue,
            path,
            try ObjectParameters(request),
            body: body
        )
        let presence = ClientPresence.Watch(context.channel)
        let reply = try await app.objects.perform(command, as: context.caller, presence: presence)
        // On a path of files a missing file is an error; on a path of classes it is an empty object (protocol/files
        // 3.2).
        if case .missing = reply.content, request.isForFiles {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return reply.response
    }

    @Sendable private func scan(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        try context.caller.requireMasterKey()
        let name = try ObjectPath.className(try context.parameters.require("class"))
        let parameters = try ObjectParameters(request)
        guard let key = try SortKey.list(parameters.text("scan_key") ?? "objectId").first else {
            throw ServiceError(.badRequest, "scan_key must name a field.")
        }
        let scan = try Scan(
            of: name,
            where: try parameters.condition(app.decoder.limits, app.decoder.engine) ?? .always,
            key: key,
            page: try Page(limit: parameters.number("limit").map { $0 == 0 ? 100 : $0 }),
            cursor: parameters.text("cursor")
        )
        let page = try await app.objects.scan(
            scan,
            of: name,
            view: parameters.view,
            as: context.caller,
            presence: ClientPresence.Watch(context.channel)
        )
        return page.json.response()
    }
}

extension Request {
    fileprivate var isForFiles: Bool {
        segments.dropFirst().first == "files"
    }
}
