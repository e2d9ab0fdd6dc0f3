internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `GET /files/<objectId>/content`: the bytes behind a file record, wherever they lie, with image words or without
/// (docs/image-options.md, section 12).
///
/// Like a file's URL it needs no keys, so that a page can show it; whoever brings some is held to them.
struct RemoteImageRoutes: Sendable {
    let apps: [AppServices]
    let authenticator: Authenticator

    func add(to router: RouterGroup<APIContext>) {
        router.get("files/:file/content", use: content)
        router.head("files/:file/content", use: content)
    }

    @Sendable private func content(_ request: Request, _ context: APIContext) async throws -> Response {
        var response = try await found(request, context)
        // What one caller may read, another one's cache must not be asked for.
        response.headers[values: .vary] += ["X-LC-Id, X-LC-Key, X-LC-Sign, X-LC-Session"]
        return response
    }

    private func found(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let id = ObjectID(context.parameters.get("file") ?? "") else { throw FileService.notFound }
        for caller in try await callers(of: request) {
            guard let app = apps.first(where: { $0.id == caller.app }) else { continue }
            do {
                return try await answer(try await app.objects.place(ofFile: id, as: caller), id, app, request, context)
            } catch let error as ServiceError where [.objectNotFound, .fileNotFound, .forbidden].contains(error.code) {
                continue
            }
        }
        throw FileService.notFound
    }

    /// Who asks: the caller whom the headers name, else anybody in each app.
    private func callers(of request: Request) async throws -> [Caller] {
        guard let credentials = Credentials(headers: request.headers) else {
            return apps.map { Caller(app: $0.id) }
        }
        var caller = try authenticator.authenticate(credentials)
        if let token = request.sessionToken, let app = apps.first(where: { $0.id == caller.app }) {
            caller = try await app.sessions.caller(caller, showing: token)
        }
        return [caller]
    }

    private func answer(
        _ place: FilePlace,
        _ id: ObjectID,
        _ app: AppServices,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        let caching = Credentials(headers: request.headers) == nil ? Caching.changing : .personal
        switch place {
        case .here(let key):
            guard let file = try await app.files.find(key) else { throw FileService.notFound }
            let images = ImageAnswer(
                app: app,
                origin: ImageOrigin(file, in: app.files),
                modified: file.createdAt,
                caching: caching
            )
            return try await answer(
                images,
                try await app.files.openShared(key),
                file.digest.description,
                request,
                context
            )
        case .elsewhere(let url):
            // Words that are wrong are refused before anything is fetched for them.
            let limits = ImageWordContext(limits: app.images.settings.limits, ownKey: { FileKey($0) }, fileSize: .max)
            _ = try ImageRequest(query: request.uri.query ?? "", context: limits)
            let (origin, file) = try await ClientPresence.required(on: context.channel) {
                try await app.remoteImages.origin(of: url)
            }
            let images = ImageAnswer(app: app, origin: origin, modified: nil, caching: caching)
            return try await answer(images, file.blob, file.tag, request, context)
        }
    }

    private func answer(
        _ images: ImageAnswer,
        _ blob: any OpenBlob,
        _ tag: String,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        let whole = Representation(
            mediaType: images.origin.mediaType,
            size: images.origin.size,
            tag: EntityTag(strong: tag),
            modified: images.modified,
            caching: images.caching
        )
        func source() async -> Response {
            await whole.response(to: request) { ResponseBody(of: blob, range: $0, on: context.channel) }
        }
        guard let words = try images.words(of: request.uri.query ?? "", to: request) else { return await source() }
        return try await images.answer(words, to: request, context, source: source)
    }
}
