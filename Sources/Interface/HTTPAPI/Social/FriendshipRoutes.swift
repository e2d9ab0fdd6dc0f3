internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Followers, friends, and block lists (protocol/data 9, docs/people.md).
struct FriendshipRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("users/:id/friendship/:other", use: follow)
        callers.put("users/:id/friendship/:other", use: update)
        callers.delete("users/:id/friendship/:other", use: unfollow)
        for list in FriendshipService.List.allCases {
            callers.get("users/:id/\(list.rawValue)") { try await self.list(list, $0, $1).json.response() }
        }
        callers.get("users/:id/followersAndFollowees", use: followersAndFollowees)
        callers.get("users/:id/friends", use: friends)
        callers.get("users/strictlyQuery", use: strictly)
        callers.post("users/friendshipRequests", use: request)
        callers.put("users/friendshipRequests/:request/accept", use: accept)
        callers.put("users/friendshipRequests/:request/decline", use: decline)
        callers.get("users/:id/friendBlocklist", use: blocked)
        callers.post("users/:id/friendBlocklist/:other", use: block)
        callers.delete("users/:id/friendBlocklist/:other", use: unblock)
    }

    @Sendable private func follow(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (user, other) = (try user(context), try user(context, "other"))
        return try await withService(request, context) { service, body in
            try await service.follow(other, by: user, attributes: body, as: context.caller)
            return FriendshipRoutes.done
        }
    }

    @Sendable private func update(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (user, other) = (try user(context), try user(context, "other"))
        return try await withService(request, context) { service, body in
            try await service.update(other, of: user, body, as: context.caller).json.response()
        }
    }

    @Sendable private func unfollow(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (user, other) = (try user(context), try user(context, "other"))
        return try await withService(request, context) { service, _ in
            try await service.unfollow(other, by: user, as: context.caller)
            return FriendshipRoutes.done
        }
    }

    private func list(
        _ list: FriendshipService.List,
        _ request: Request,
        _ context: CallerContext
    ) async throws -> ObjectReply {
        let user = try user(context)
        return try await find(request, context) { service, search, view, presence in
            try await service.list(list, of: user, search, view: view, as: context.caller, presence: presence)
        }
    }

    /// Both lists in one response, with the numbers of both for `count=1`.
    @Sendable private func followersAndFollowees(_ request: Request, _ context: CallerContext) async throws -> Response
    {
        var members = RelationLists()
        for list in FriendshipService.List.allCases {
            members.append(list.rawValue, try await self.list(list, request, context))
        }
        return members.json.response()
    }

    @Sendable private func friends(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireSelf(context)
        return try await find(request, context) { service, search, view, presence in
            try await service.friends(search, view: view, as: context.caller, presence: presence)
        }
        .json.response()
    }

    @Sendable private func strictly(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await find(request, context) { service, search, view, presence in
            try await service.strictly(search, view: view, as: context.caller, presence: presence)
        }
        .json.response()
    }

    @Sendable private func blocked(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireSelf(context)
        return try await find(request, context) { service, search, view, presence in
            try await service.blocked(search, view: view, as: context.caller, presence: presence)
        }
        .json.response()
    }

    @Sendable private func block(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireSelf(context)
        let other = try user(context, "other")
        return try await withService(request, context) { service, _ in
            try await service.block(other, as: context.caller)
            return FriendshipRoutes.done
        }
    }

    @Sendable private func unblock(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireSelf(context)
        let other = try user(context, "other")
        return try await withService(request, context) { service, _ in
            try await service.unblock(other, as: context.caller)
            return FriendshipRoutes.done
        }
    }

    @Sendable private func request(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await withService(request, context) { service, body in
            guard let members = body.objectValue else {
                throw ServiceError(.malformedJSON, "The body must be a JSON object.")
            }
            let reply = try await service.request(members, as: context.caller)
            return reply.json.response(status: .created, headers: reply.location)
        }
    }

    @Sendable private func accept(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try requestID(context)
        return try await withService(request, context) { service, body in
            try await service.accept(id, body, as: context.caller).json.response()
        }
    }

    @Sendable private func decline(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try requestID(context)
        return try await withService(request, context) { service, _ in
            try await service.decline(id, as: context.caller).json.response()
        }
    }

    /// Runs a query of a request with the service of the caller's app.
    private func find(
        _ request: Request,
        _ context: CallerContext,
        _ query: (FriendshipService, ObjectCommand.Search, ObjectView, any CallerPresence) async throws -> ObjectReply
    ) async throws -> ObjectReply {
        let (app, parameters) = (try apps.services(of: context.caller), try ObjectParameters(request))
        let search = try app.decoder.search(parameters)
        return try await query(app.friendships, search, parameters.view, ClientPresence.Watch(context.channel))
    }

    /// Runs a body with the service of the caller's app and the JSON body of the request.
    private func withService(
        _ request: Request,
        _ context: CallerContext,
        _ body: @escaping @Sendable (FriendshipService, JSONValue) async throws -> Response
    ) async throws -> Response {
        let service = try apps.services(of: context.caller).friendships
        return try await bodies.json(of: request, context) { try await body(service, $0) }
    }

    private func user(_ context: CallerContext, _ name: String = "id") throws -> UserReference {
        try UserReference(try context.parameters.require(name))
    }

    private func requestID(_ context: CallerContext) throws -> ObjectID {
        guard let id = ObjectID(try context.parameters.require("request")) else {
            throw ServiceError(.friendshipNotFound, "Friendship not found.")
        }
        return id
    }

    /// Friends and block lists exist for `self` only.
    private func requireSelf(_ context: CallerContext) throws {
        guard try user(context) == .caller else {
            throw ServiceError(.routeNotFound, "There is no such path or method.")
        }
    }

    private static var done: Response { JSONValue.object([:]).response() }
}

extension ObjectReply {
    /// The header with the path of the created object.
    var location: HTTPFields {
        created.map { [.location: "/1.1/classes/\($0.className)/\($0.id)"] } ?? [:]
    }
}
