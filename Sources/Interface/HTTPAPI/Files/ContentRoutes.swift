internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// `GET /files/<objectId>/content`: the bytes of a file record, here or on another server, with or without operators
/// (docs/image-options.md, section 12).
///
/// Like a file's URL it needs no credentials, so that a page can show it; credentials of a request are checked.
struct ContentRoutes: Sendable {
    private let apps: [AppServices]
    /// The authentication of the other routes, used here only for requests with credentials.
    private let authentication: Authentication
    /// Counts requests without credentials.
    private let allowance: AddressAllowance

    init(apps: [AppServices], authenticator: Authenticator, limits: RequestLimits) {
        self.apps = apps
        authentication = Authentication(
            authenticator: authenticator,
            apps: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) }),
            limits: limits
        )
        allowance = AddressAllowance(limits: limits)
    }

    func add(to router: RouterGroup<APIContext>) {
        router.get("files/:file/content", use: content)
        router.head("files/:file/content", use: content)
    }

    @Sendable private func content(_ request: Request, _ context: APIContext) async throws -> Response {
        var response =
            if Credentials(CredentialFields(request.headers)) == nil {
                try await allowance.handle(request, context: context) { try await found($0, $1) }
            } else {
                try await authentication.handle(request, context: context) { try await found($0, $1) }
            }
        // Another caller must not get the response from a cache.
        response.headers[values: .vary] += ["X-LC-Id, X-LC-Key, X-LC-Sign, X-LC-Session"]
        return response
    }

    private func found(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let id = ObjectID(context.parameters.get("file") ?? "") else { throw FileService.notFound }
        // A request without credentials is a guest in each app.
        let callers = context.caller.map { [$0] } ?? apps.map { Caller(app: $0.id) }
        for caller in callers {
            guard let app = apps.first(where: { $0.id == caller.app }) else { continue }
            do {
                let location = try await app.objects.location(ofFile: id, as: caller)
                return try await answer(location, of: id, app, request, context)
            } catch let error as ServiceError where [.objectNotFound, .fileNotFound, .forbidden].contains(error.code) {
                continue
            }
        }
        throw FileService.notFound
    }

    private func answer(
        _ location: FileLocation,
        of id: ObjectID,
        _ app: AppServices,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        context.notes.note(app.id)
        let isPublic = context.caller == nil
        let policy = app.files.policy.settings
        switch location {
        case .here(let key):
            let file = try app.permitted(
                try await app.file(key),
                try app.requestedImage(of: request),
                request,
                to: context.caller
            )
            let caching = isPublic ? file.caching.atMost(seconds: 3600) : .personal
            let imageRequest = try await app.imageRequest(of: request, fileSize: file.file.size)
            return try await app.answer(request, context, with: file, imageRequest: imageRequest, caching: caching)
        case .elsewhere(let url, let passed):
            // Such a file has no key for a signature.
            try app.presentation.privacy.requireUnrestricted(try app.requestedImage(of: request), to: context.caller)
            let shared = policy.isAutomatic ? Caching.changing.atMost(seconds: policy.cacheSeconds) : .changing
            let caching = isPublic ? shared : Caching.personal
            let caller = context.caller ?? Caller(app: app.id, address: context.clientAddress ?? "")
            // Wrong parameters are refused before a fetch.
            _ = try await app.imageRequest(of: request, fileSize: .max)
            let (origin, file) = try await ClientPresence.required(on: context.channel) {
                try await app.remoteImages.origin(of: url, for: caller)
            }
            // The other server can send other bytes than those that were checked.
            if let passed, passed != origin.version { try await app.censorship.recheck(id, of: origin.version) }
            let images = ImageAnswer(app: app, origin: origin, modified: nil, caching: caching)
            guard let imageRequest = try await app.imageRequest(of: request, fileSize: origin.size) else {
                return await images.response(file, to: request, context)
            }
            return try await images.answer(imageRequest, to: request, context) { caching in
                await ImageAnswer(app: app, origin: origin, modified: nil, caching: caching)
                    .response(file, to: request, context)
            }
        }
    }
}
