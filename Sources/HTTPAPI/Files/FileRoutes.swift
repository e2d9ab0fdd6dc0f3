internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Reading, listing and deleting records (file-protocol 3.2 to 3.4).
struct FileRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        for collection in ["files", "classes/_File", "classes/_file", "classes/files"] {
            callers.get("\(collection)", use: list)
            callers.delete("\(collection)/:file", use: delete)
        }
        callers.get("files/:file", use: get)
        for collection in ["classes/_File", "classes/_file", "classes/files"] {
            callers.get("\(collection)/:file", use: getObject)
        }
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let query = try FileQuery(request.uri.queryParameters)
        var body: [String: JSONValue] = [
            "results": .array(try await app.files.newest(query.page, as: context.caller).map { $0.json(in: app) })
        ]
        if query.counts {
            body["count"] = .integer(Int64(try await app.files.count(as: context.caller)))
        }
        return JSONValue.object(body).response()
    }

    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let record = try await app.files.get(try objectID(context), as: context.caller)
        return record.json(in: app).response()
    }

    /// As an object of a class, a missing file is an empty one (file-protocol 3.2).
    @Sendable private func getObject(_ request: Request, _ context: CallerContext) async throws -> Response {
        do {
            return try await get(request, context)
        } catch let error as ServiceError where error.code == .objectNotFound {
            return JSONValue.object([:]).response()
        }
    }

    @Sendable private func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await apps.services(of: context.caller).files.delete(try objectID(context), as: context.caller)
        return JSONValue.object([:]).response()
    }

    private func objectID(_ context: CallerContext) throws -> ObjectID {
        guard let id = ObjectID(try context.parameters.require("file")) else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return id
    }
}

extension [AppID: AppServices] {
    /// The services of the caller's app; an authenticated caller has one.
    func services(of caller: Caller) throws -> AppServices {
        guard let app = self[caller.app] else { throw ServiceError(.unauthorized, "Unauthorized.") }
        return app
    }
}

/// The query of a list (file-protocol 3.3), as far as it is understood.
private struct FileQuery {
    let page: Page
    let counts: Bool

    /// Conditions that are not understood are refused: leaving them out would answer another question.
    init(_ parameters: FlatDictionary<Substring, Substring>) throws {
        for name in ["where", "keys", "include", "cql"] {
            // SDKs send an empty condition when there is none.
            guard let value = parameters[name[...]], !value.isEmpty, !(name == "where" && value == "{}") else {
                continue
            }
            throw ServiceError(.badRequest, "'\(name)' is not supported for files.")
        }
        if let order = parameters["order"], !order.isEmpty, order != "-createdAt" {
            throw ServiceError(.badRequest, "Files are listed by order=-createdAt only.")
        }
        page = try Page(
            limit: try FileQuery.number(parameters, "limit"),
            skip: try FileQuery.number(parameters, "skip")
        )
        counts = parameters["count"] == "1" || parameters["count"] == "true"
    }

    private static func number(_ parameters: FlatDictionary<Substring, Substring>, _ name: Substring) throws -> Int? {
        guard let text = parameters[name], !text.isEmpty else { return nil }
        guard let number = Int(text) else {
            throw ServiceError(.badRequest, "\(name) must be a whole number.")
        }
        return number
    }
}
