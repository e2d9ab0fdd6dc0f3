internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// The fields and indexes of classes, only for the master key (protocol/data 7; the rest is lcfile's own,
/// docs/http-api.md).
struct SchemaRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("schemas", use: all)
        callers.get("schemas/:class", use: one)
        callers.put("schemas/:class/:field", use: change)
        callers.get("indexes/:class", use: indexes)
        callers.post("indexes/:class", use: addIndex)
        callers.delete("indexes/:class/:index", use: removeIndex)
    }

    @Sendable private func all(_ request: Request, _ context: CallerContext) async throws -> Response {
        let schemas = try await schemas(context).all(as: context.caller)
        let members = schemas.map { ($0.name.description, $0.json) }
        return JSONValue.object(Dictionary(uniqueKeysWithValues: members)).response()
    }

    @Sendable private func one(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await schemas(context).schema(of: try className(context), as: context.caller).json.response()
    }

    @Sendable private func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try schemas(context)
        try context.caller.requireMasterKey()
        let field = try context.parameters.require("field").percentDecoded ?? ""
        let name = try className(context)
        return try await bodies.json(of: request, context) { body in
            let change = try FieldChange(body)
            return try await service.change(field, of: name, by: change, as: context.caller).json.response()
        }
    }

    @Sendable private func indexes(_ request: Request, _ context: CallerContext) async throws -> Response {
        let schema = try await schemas(context).schema(of: try className(context), as: context.caller)
        return JSONValue.object(["results": .array(schema.shownIndexes.map(\.json))]).response()
    }

    @Sendable private func addIndex(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try schemas(context)
        try context.caller.requireMasterKey()
        return try await bodies.json(of: request, context) { body in
            let fields = body.objectValue?["fields"]?.arrayValue ?? []
            let index = try await service.addIndex(
                fields.compactMap(\.stringValue),
                of: try className(context),
                as: context.caller
            )
            return index.json.response(status: .created)
        }
    }

    @Sendable private func removeIndex(_ request: Request, _ context: CallerContext) async throws -> Response {
        let index = try context.parameters.require("index").percentDecoded ?? ""
        try await schemas(context).removeIndex(index, of: try className(context), as: context.caller)
        return JSONValue.object([:]).response()
    }

    private func schemas(_ context: CallerContext) throws -> SchemaService {
        try apps.services(of: context.caller).schemas
    }

    private func className(_ context: CallerContext) throws -> ClassName {
        try ObjectPath.className(try context.parameters.require("class"))
    }
}

extension ClassSchema {
    /// The indexes, except those of lcfile's own fields.
    fileprivate var shownIndexes: [IndexDefinition] {
        indexes.filter { index in !index.fields.contains { isOwn($0.field) } }
    }

    /// Fields by name, including the built-in ones: `{"title":{"type":"String"}}`.
    fileprivate var json: JSONValue {
        var members = fields.filter { !isOwn($0.key) }.mapValues(\.json)
        for (name, type) in [("objectId", "String"), ("createdAt", "Date"), ("updatedAt", "Date"), ("ACL", "ACL")] {
            members[name] = .object(["type": .string(type)])
        }
        return .object(members)
    }
}

extension IndexDefinition {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "fields": .array(fields.map { .string($0.description) }),
        ]
        if isUnique { members["unique"] = .bool(true) }
        return .object(members)
    }
}

extension FieldChange {
    /// Parses `{"type":…,"className":…,"unique":…,"default":…}`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming an unknown or malformed member.
    fileprivate init(_ json: JSONValue) throws {
        self.init()
        for (name, value) in json.objectValue ?? [:] {
            switch (name, value) {
            case ("type", .string(let type)):
                let target = try json.objectValue?["className"]?.stringValue.map { try ClassName($0) }
                guard let type = FieldType(name: type, className: target) else { throw FieldChange.refusal(of: type) }
                self.type = type
            case ("className", .string): break
            case ("unique", .bool(let flag)): isUnique = flag
            case ("required", .bool(let flag)): isRequired = flag
            case ("readOnly", .bool(let flag)): isReadOnly = flag
            case ("hidden", .bool(let flag)): isHidden = flag
            case ("autoIncrement", .bool(let flag)): isAutoIncrement = flag
            case ("default", let value): defaultValue = value
            case ("type", _), ("className", _): throw ServiceError(.badRequest, "\(name) must be a string.")
            case ("unique", _), ("required", _), ("readOnly", _), ("hidden", _), ("autoIncrement", _):
                throw ServiceError(.badRequest, "\(name) must be true or false.")
            default: throw ServiceError(.badRequest, "'\(name.prefix(64))' is not a flag of a field.")
            }
        }
    }

    /// The error for a type that is not known, or that lacks its class.
    private static func refusal(of type: String) -> ServiceError {
        guard !["Pointer", "Relation"].contains(type) else {
            return ServiceError(.badRequest, "type '\(type)' needs a className.")
        }
        return ServiceError(
            .badRequest,
            "type '\(type.prefix(64))' is not known. The types are String, Number, Boolean, Date, Object, Array, File, "
                + "GeoPoint, Bytes, Any, and with a className Pointer and Relation."
        )
    }
}
