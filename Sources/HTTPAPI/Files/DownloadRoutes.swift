internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

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
        guard let (app, file) = try await find(path: request.uri.path) else { throw FileService.notFound }
        let query = request.uri.query ?? ""
        var response =
            if let words = try ImageRequest(query: query, limits: app.images.limits) {
                try await image(words, of: file, in: app, for: request)
            } else {
                try await bytes(of: file, in: app, for: request, context)
            }
        if let name = AttachmentName(query: query) { response.headers[.contentDisposition] = name.disposition }
        return response
    }

    /// Looks the key up in each app; keys are random, so at most one has it.
    private func find(path: String) async throws -> (AppServices, ServedFile)? {
        guard let text = path.drop(while: { $0 == "/" }).percentDecoded, let key = FileKey(text) else { return nil }
        for app in apps {
            if let file = try await app.files.find(key) { return (app, file) }
        }
        return nil
    }

    private func image(
        _ words: ImageRequest,
        of file: ServedFile,
        in app: AppServices,
        for request: Request
    ) async throws -> Response {
        let image = try await app.images.derivative(words, of: file)
        let representation = Representation(
            mediaType: image.format.mediaType,
            size: Int64(image.bytes.readableBytes),
            tag: EntityTag(hashing: image.bytes),
            modified: file.createdAt
        )
        return await representation.response(to: request) { range in
            let slice = image.bytes.getSlice(at: image.bytes.readerIndex + Int(range.lowerBound), length: range.count)
            return ResponseBody(byteBuffer: slice ?? ByteBuffer())
        }
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
