internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// The permissions of classes, only for the master key (lcfile's own calls, docs/permissions.md).
struct PermissionRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("permissions", use: all)
        callers.get("permissions/:class", use: one)
        callers.put("permissions/:class", use: change)
    }

    @Sendable private func all(_ request: Request, _ context: CallerContext) async throws -> Response {
        let classes = try await apps.services(of: context.caller).schemas.all(as: context.caller)
        let members = classes.map { ($0.name.description, $0.permissionJSON) }
        return JSONValue.object(Dictionary(uniqueKeysWithValues: members)).response()
    }

    @Sendable private func one(_ request: Request, _ context: CallerContext) async throws -> Response {
        let schemas = try apps.services(of: context.caller).schemas
        return try await schemas.schema(of: try className(context), as: context.caller).permissionJSON.response()
    }

    @Sendable private func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).permissions
        try context.caller.requireMasterKey()
        let name = try className(context)
        return try await bodies.json(of: request, context) { body in
            let change = try PermissionChange(body)
            return try await service.change(of: name, by: change, as: context.caller).permissionJSON.response()
        }
    }

    private func className(_ context: CallerContext) throws -> ClassName {
        try ObjectPath.className(try context.parameters.require("class"))
    }
}

extension ClassSchema {
    /// The operations with the callers who are allowed to do them, and the default ACL.
    fileprivate var permissionJSON: JSONValue {
        var members = permissions.json.objectValue ?? [:]
        members["defaultACL"] = .object((defaultACL ?? .everyone).json)
        return .object(members)
    }
}
