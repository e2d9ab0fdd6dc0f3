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
        callers.get("users/:id/friends") { try await answer(.friends, ofSelf: true, $0, $1) }
        callers.get("users/:id/friendBlocklist") { try await answer(.blocked, ofSelf: true, $0, $1) }
        callers.get("users/strictlyQuery") { try await answer(.strictly, ofSelf: false, $0, $1) }
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
        return try await FriendshipRoutes.find(.list(list, of: user), try ObjectParameters(request), in: app, context)
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

    /// Responds to a query whose path names no user, or only `self`.
    private func answer(
        _ query: FriendshipQuery,
        ofSelf isOfSelf: Bool,
        _ request: Request,
        _ context: CallerContext
    ) async throws -> Response {
        if isOfSelf { try requireSelf(context) }
        let app = try apps.services(of: context.caller)
        let parameters = try ObjectParameters(request)
        return try await FriendshipRoutes.find(query, parameters, in: app, context).json.response()
    }

    /// Runs a query; Objective-C sends long ones in a batch.
    static func find(
        _ query: FriendshipQuery,
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext
    ) async throws -> ObjectReply {
        let (service, search, view) = (app.friendships, try app.decoder.search(parameters), parameters.view)
        let (caller, presence) = (context.caller, ClientPresence.Watch(context.channel))
        return switch query {
        case .list(let list, of: let user):
            try await service.list(list, of: user, search, view: view, as: caller, presence: presence)
        case .friends: try await service.friends(search, view: view, as: caller, presence: presence)
        case .blocked: try await service.blocked(search, view: view, as: caller, presence: presence)
        case .strictly: try await service.strictly(search, view: view, as: caller, presence: presence)
        }
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

/// A query of users by their relations.
enum FriendshipQuery: Sendable {
    /// The followers or the followees of a user.
    case list(FriendshipService.List, of: UserReference)
    /// The friends of the caller.
    case friends
    /// The users whom the caller blocks.
    case blocked
    /// The users whom a strict query finds.
    case strictly
}
