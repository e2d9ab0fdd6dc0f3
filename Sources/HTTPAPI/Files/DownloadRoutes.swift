internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// The file host: `GET` and `HEAD` on a key, with image words or without (file-protocol 5, 11).
///
/// URLs are public, so nobody is asked for credentials here.
struct DownloadRoutes: Sendable {
    let apps: [AppServices]

    func add(to router: Router<APIContext>) {
        router.get("**", use: download)
        router.head("**", use: download)
    }

    @Sendable private func download(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let path = request.uri.path.drop(while: { $0 == "/" }).percentDecoded else { throw FileService.notFound }
        let query = request.uri.query ?? ""
        var response = try await answer(path, query, request, context)
        if let name = AttachmentName(query: query) { response.headers[.contentDisposition] = name.disposition }
        return response
    }

    /// A file whose key is the path wins over one with a style's name behind its key.
    private func answer(
        _ path: String,
        _ query: String,
        _ request: Request,
        _ context: APIContext
    ) async throws -> Response {
        if let key = FileKey(path) {
            for app in apps {
                guard let file = try await app.files.find(key) else { continue }
                let images = ImageAnswer(app: app, origin: ImageOrigin(file, in: app.files), modified: file.createdAt)
                if let words = try images.words(of: query, to: request) {
                    return try await images.answer(words, to: request, context) {
                        try await bytes(of: file, in: app, for: request, context)
                    }
                }
                return try await bytes(of: file, in: app, for: request, context)
            }
        }
        for app in apps {
            guard let (key, chain) = app.images.names.style(of: path), let key = FileKey(key),
                let file = try await app.files.find(key)
            else { continue }
            let images = ImageAnswer(app: app, origin: ImageOrigin(file, in: app.files), modified: file.createdAt)
            guard try images.words(of: query, to: request) == nil else {
                throw ServiceError(.badImageRequest, "Bad image request: a style takes no operators behind '?'.")
            }
            let words = try images.words(chain: chain, to: request)
            return try await images.answer(words, to: request, context) {
                try await bytes(of: file, in: app, for: request, context)
            }
        }
        throw FileService.notFound
    }

    private func bytes(
        of file: ServedFile,
        in app: AppServices,
        for request: Request,
        _ context: APIContext
    ) async throws -> Response {
        let representation = Representation(
            mediaType: file.mediaType,
            size: file.size,
            tag: EntityTag(strong: file.digest.description),
            modified: file.createdAt
        )
        return try await representation.response(to: request) { range in
            ResponseBody(of: try await app.files.openShared(file.key), range: range, on: context.channel)
        }
    }
}
