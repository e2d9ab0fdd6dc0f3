internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Several requests in one (data-protocol 2).
struct BatchRoutes: Sendable {
    let apps: [AppID: AppServices]
    let limits: WireLimits

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("batch", use: batch)
        callers.post("batch/save", use: save)
    }

    /// `POST /batch`: each request for itself, in order.
    @Sendable private func batch(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let commands = try await requests(in: request).map { json in
            Result<ObjectCommand, any Error> { try command(try BatchItem(json), in: app) }
        }
        let replies = try await app.objects.perform(commands, as: context.caller)
        let answers = zip(commands, replies).map { command, reply -> [UInt8] in
            switch reply {
            case .success(let reply):
                // A missing object is null here (data-protocol 2.1).
                let isMissing = if case .get? = try? command.get().action { reply.found == 0 } else { false }
                return Array(#"{"success":"#.utf8) + (isMissing ? Array("null".utf8) : reply.text) + Array("}".utf8)
            case .failure(let error):
                return JSONValue.object(["error": ErrorRenderer.json(of: error, logger: context.logger)]).encoded()
            }
        }
        return JSONText(answers.encodedArray).response()
    }

    private func command(_ item: BatchItem, in app: AppServices) throws -> ObjectCommand {
        try item.requireNoCopy()
        return try app.decoder.command(item.method, item.path, item.parameters, body: item.body)
    }

    /// `POST /batch/save`: all or nothing, and objects may point to each other.
    @Sendable private func save(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let saves = try await requests(in: request).map { json in
            let item = try BatchItem(json)
            try item.requireNoCopy()
            guard ["POST", "PUT"].contains(item.method), item.path.ids.count <= 1 else {
                throw ServiceError(.badRequest, "batch/save takes POST and PUT only.")
            }
            return try SaveItem(
                className: item.path.className,
                id: item.path.ids.first,
                creates: item.method == "POST",
                body: item.body == .null ? .object([:]) : item.body,
                where: try item.parameters.condition(app.decoder.limits, app.decoder.engine),
                returnsObject: item.parameters.returnsObject,
                mustExist: item.parameters.flag("failOnNotExist")
            )
        }
        return try await app.objects.save(saves, as: context.caller).response()
    }

    private func requests(in request: Request) async throws -> [JSONValue] {
        guard let requests = try await request.json(upTo: limits.jsonSize).objectValue?["requests"]?.arrayValue else {
            throw ServiceError(.malformedJSON, "The body must be {\"requests\":[…]}.")
        }
        return requests
    }
}

/// One request of a batch, checked for its form.
private struct BatchItem {
    let method: String
    let path: ObjectPath
    let parameters: ObjectParameters
    let body: JSONValue

    /// Swift sends methods in lower case, paths come with `/1.1` and without.
    init(_ json: JSONValue) throws {
        guard let members = json.objectValue, let path = members["path"]?.stringValue else {
            throw ServiceError(.malformedJSON, "A request of a batch must have method and path.")
        }
        method = members["method"]?.stringValue?.uppercased() ?? ""
        let parts = path.split(separator: "?", maxSplits: 1)
        var segments = (parts.first ?? "").split(separator: "/").compactMap(\.decodedSegment)
        if ["1.1", "1"].contains(segments.first) { segments.removeFirst() }
        self.path = try ObjectPath(segments)
        if let params = members["params"]?.objectValue {
            parameters = ObjectParameters(json: params)
        } else {
            parameters = try ObjectParameters(query: parts.count > 1 ? String(parts[1]) : nil)
        }
        body = members["body"] ?? .null
    }

    /// Throws if the request would copy a file in: that takes as long as another server likes.
    func requireNoCopy() throws {
        guard path.className != .file || !RemoteFile.isCopy(body) else {
            throw ServiceError(.badRequest, "A file is copied in (fetch) by a request of its own, not in a batch.")
        }
    }
}
