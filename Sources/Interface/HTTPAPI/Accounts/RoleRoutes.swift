internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/nestedRoles`: which roles contain which other roles, for the master key (docs/http-api.md).
struct RoleRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("nestedRoles", use: nested)
    }

    @Sendable private func nested(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let limit = try parameters.number("limit") ?? 100
        guard (1...1000).contains(limit) else {
            throw ServiceError(.badRequest, "limit must be between 1 and 1000.")
        }
        let found = try await apps.services(of: context.caller).permissions.nestedRoles(
            after: try position(parameters.text("cursor")),
            limit: limit,
            as: context.caller
        )
        let results = found.map { membership in
            JSONValue.object([
                "role": .string(membership.owner.description), "contains": .string(membership.member.description),
            ])
        }
        let next = found.count == limit ? found.last : nil
        return JSONValue.object([
            "results": .array(results), "cursor": next.map { .string("\($0.owner),\($0.member)") } ?? .null,
        ]).response()
    }

    private func position(_ text: String?) throws -> Membership? {
        guard let text else { return nil }
        let ids = text.split(separator: ",", omittingEmptySubsequences: false).map { ObjectID(String($0)) }
        guard ids.count == 2, let owner = ids[0], let member = ids[1] else {
            throw ServiceError(.badRequest, "cursor must come from an earlier page.")
        }
        return Membership(owner: owner, member: member)
    }
}
