internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Downloads: `GET` and `HEAD` on a key, with or without operators (protocol/files 5, 11).
///
/// URLs are public unless the app's files are private; no credentials are checked here.
struct DownloadRoutes: Sendable {
    let apps: [AppServices]
    /// Gets the responses that the next requests get without a route; `nil` for none.
    let hotDownloads: HotDownloads?

    func add(to router: Router<APIContext>) {
        // Keys can begin with these folders, those of earlier versions also with the first two, and the router does not
        // backtrack from a folder that has a route of its own.
        let folders = ["health", "ready", "v1", "v1/route", "v1/ws"]
        for path in ["**", "v1"] + folders.map({ "\($0)/**" }) {
            router.get("\(path)", use: download)
            router.head("\(path)", use: download)
        }
    }

    @Sendable private func download(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let path = request.uri.path.drop(while: { $0 == "/" }).percentDecoded else { throw FileService.notFound }
        var context = context
        if context.endpointPath == HotDownloadLog.route {
            context.preparation = hotDownloads?.preparation(of: request) { files(of: path) }
        }
        var response = try await answer(path, request, context)
        // A redirect has the name in its URL.
        let name = response.status == .found ? nil : AttachmentName(query: request.uri.query ?? "")
        if let name { response.headers[.contentDisposition] = name.disposition }
        await context.preparation?.finish(response, of: context.notes.app)
        return response
    }

    /// The keys of all files that a path can mean: that of the whole path, and one before the name of an app's style.
    private func files(of path: String) -> [String] {
        [path] + apps.compactMap { $0.images.names.style(of: path)?.key }
    }

    /// A file whose key is the whole path takes precedence over one with a style's name after its key.
    private func answer(_ path: String, _ request: Request, _ context: APIContext) async throws -> Response {
        if let key = FileKey(path) {
            for app in apps {
                guard let file = try await app.shown(key) else { continue }
                return try await answer(file, of: app, request, context)
            }
        }
        for app in apps {
            guard let style = app.images.names.style(of: path), let key = FileKey(style.key),
                let file = try await app.shown(key)
            else { continue }
            return try await answer(file, of: app, style, request, context)
        }
        return try await mirrored(path, request, context)
    }

    /// Responds with a file that is still on the origin of a mirror.
    ///
    /// A style's name after the key counts first here: the old server can answer the whole path with a derivative.
    private func mirrored(_ path: String, _ request: Request, _ context: APIContext) async throws -> Response {
        guard let app = apps.mirroring(host: request.head.authority) else { throw FileService.notFound }
        if let style = app.images.names.style(of: path), let key = try? FileKey(chosen: style.key),
            // The signature can be that of a file whose key is the whole path, which is checked below.
            (try? app.permitFetch(of: key, .style(style.name), request)) != nil
        {
            do {
                return try await answer(try await app.file(key), of: app, style, request, context)
            } catch let error as ServiceError where error.code == .fileNotFound {
                // The path can be the key of a file with such a name.
            }
        }
        guard let key = try? FileKey(chosen: path) else { throw FileService.notFound }
        try app.permitFetch(of: key, try app.requestedImage(of: request), request)
        return try await answer(try await app.file(key), of: app, request, context)
    }

    private func answer(
        _ file: ShownFile,
        of app: AppServices,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        let file = try app.permitted(file, try app.requestedImage(of: request), request)
        let imageRequest = try await app.imageRequest(of: request, fileSize: file.file.size)
        return try await answer(file, of: app, imageRequest, request, context)
    }

    private func answer(
        _ file: ShownFile,
        of app: AppServices,
        _ style: ImageNames.Style,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        let file = try app.permitted(file, .style(style.name), request)
        guard try await app.imageRequest(of: request, fileSize: file.file.size) == nil else {
            throw ServiceError(.badImageRequest, "Bad image request: a style takes no operators behind '?'.")
        }
        let imageRequest = try app.imageRequest(chain: style.chain, of: request, fileSize: file.file.size)
        return try await answer(file, of: app, imageRequest, request, context)
    }

    private func answer(
        _ file: ShownFile,
        of app: AppServices,
        _ imageRequest: ImageRequest?,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        // A watermark's image is a further file on which the response depends, named relative to the request's host.
        if imageRequest?.markKeys.isEmpty ?? true, app.files.canBePrepared(file.file),
            imageRequest != nil || !app.canRedirect(file)
        {
            context.preparation?.depends(on: file.file.key, isImage: imageRequest != nil)
        }
        return try await app.answer(
            request,
            context,
            with: file,
            imageRequest: imageRequest,
            disposition: AttachmentName(query: request.uri.query ?? "")?.disposition
        )
    }
}
