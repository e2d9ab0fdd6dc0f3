internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Followers, friends, and block lists (protocol/data 9, docs/people.md).
struct FriendshipRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        for method in [HTTPRequest.Method.post, .put, .delete] {
            callers.on("users/:id/friendship/:other", method: method, use: change)
        }
        callers.post("users/friendshipRequests", use: change)
        callers.put("users/friendshipRequests/:request/accept", use: change)
        callers.put("users/friendshipRequests/:request/decline", use: change)
        callers.post("users/:id/friendBlocklist/:other", use: change)
        callers.delete("users/:id/friendBlocklist/:other", use: change)
        for list in FriendshipService.List.allCases {
            callers.get("users/:id/\(list.rawValue)") { try await self.list(list, $0, $1).json.response() }
        }
        callers.get("users/:id/followersAndFollowees", use: followersAndFollowees)
        callers.get("users/:id/friends", use: friends)
        callers.get("users/:id/friendBlocklist", use: blocked)
        callers.get("users/strictlyQuery", use: strictly)
    }

    @Sendable private func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).friendships
        let segments = request.segments.dropFirst().map(\.decodedSegment)
        return try await bodies.json(of: request, context) { body in
            guard let call = try FriendshipCall(request.method.rawValue, segments, body: body) else {
                throw FriendshipRoutes.noPath
            }
            return try await service.perform(call, as: context.caller).response
        }
    }

    private func list(
        _ list: FriendshipService.List,
        _ request: Request,
        _ context: CallerContext
    ) async throws -> ObjectReply {
        let (app, user) = (try apps.services(of: context.caller), try user(context))
        return try await FriendshipRoutes.find(try ObjectParameters(request), in: app, context) {
            try await $0.list(list, of: user, $1, view: $2, as: context.caller, presence: $3)
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
        let app = try apps.services(of: context.caller)
        return try await FriendshipRoutes.friends(try ObjectParameters(request), in: app, context).json.response()
    }

    @Sendable private func blocked(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireSelf(context)
        let app = try apps.services(of: context.caller)
        return try await FriendshipRoutes.blocked(try ObjectParameters(request), in: app, context).json.response()
    }

    @Sendable private func strictly(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        return try await FriendshipRoutes.strictly(try ObjectParameters(request), in: app, context).json.response()
    }

    /// The friends of the caller; Objective-C sends long queries in a batch.
    static func friends(
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext
    ) async throws -> ObjectReply {
        try await find(parameters, in: app, context) {
            try await $0.friends($1, view: $2, as: context.caller, presence: $3)
        }
    }

    /// The users whom the caller blocks; Objective-C sends long queries in a batch.
    static func blocked(
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext
    ) async throws -> ObjectReply {
        try await find(parameters, in: app, context) {
            try await $0.blocked($1, view: $2, as: context.caller, presence: $3)
        }
    }

    /// The users whom a strict query finds; Objective-C sends long queries in a batch.
    static func strictly(
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext
    ) async throws -> ObjectReply {
        try await find(parameters, in: app, context) {
            try await $0.strictly($1, view: $2, as: context.caller, presence: $3)
        }
    }

    /// Runs a query with the service of an app.
    private static func find(
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext,
        _ query: (FriendshipService, ObjectCommand.Search, ObjectView, any CallerPresence) async throws -> ObjectReply
    ) async throws -> ObjectReply {
        let search = try app.decoder.search(parameters)
        return try await query(app.friendships, search, parameters.view, ClientPresence.Watch(context.channel))
    }

    private func user(_ context: CallerContext) throws -> UserReference {
        try UserReference(try context.parameters.require("id"))
    }

    /// Lists of friends and block lists exist for `self` only.
    private func requireSelf(_ context: CallerContext) throws {
        guard try user(context) == .caller else { throw FriendshipRoutes.noPath }
    }

    private static let noPath = ServiceError(.routeNotFound, "There is no such path or method.")
}
