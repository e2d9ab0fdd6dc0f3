internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `POST /files/<objectId>/url`: a URL that expires, for callers who are allowed to read the file's record
/// (docs/private-files.md).
///
/// The body is `{"expiresIn": seconds, "image": operators or the name of a style}`; both can be missing.
struct FileURLRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("files/:file/url", use: url)
    }

    @Sendable private func url(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard let id = ObjectID(try context.parameters.require("file")) else {
            throw ServiceError(.objectNotFound, "File not found.")
        }
        return try await bodies.json(of: request, context) { body in
            let app = try apps.services(of: context.caller)
            switch try await app.objects.location(ofFile: id, as: context.caller) {
            case .elsewhere(let url, _):
                return JSONValue.object(["url": .string(url.description)]).response()
            case .here(let key):
                // The record's look-up, not that of downloads: a blocked file has a URL, too.
                guard let file = try await app.files.record(key) else { throw FileService.notFound }
                return try await answer(file, of: app, body, request, context.caller).response()
            }
        }
    }

    private func answer(
        _ file: ServedFile,
        of app: AppServices,
        _ body: JSONValue,
        _ request: Request,
        _ caller: Caller
    ) async throws -> JSONValue {
        guard let members = body == .null ? [:] : body.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        if let unknown = members.keys.filter({ !["image", "expiresIn"].contains($0) }).min() {
            throw ServiceError(.badRequest, "The body can have image and expiresIn, not '\(unknown)'.")
        }
        let image = try await image(members["image"], file, app, request)
        let privacy = app.presentation.privacy
        let isPrivate = privacy.isPrivate(file)
        let expiry = try privacy.expiry(in: members["expiresIn"], at: .now(), for: caller)
        let url = app.presentation.plainURL(of: file.key) + image.path(separator: app.images.names.separator)
        guard try privacy.needsSignature(image, isPrivate: isPrivate, by: caller),
            let parameters = privacy.parameters(for: file.key, image, until: expiry)
        else { return ["url": .string(image.query.map { "\(url)?\($0)" } ?? url)] }
        let query = [image.query, parameters].compactMap(\.self).joined(separator: "&")
        return ["url": .string("\(url)?\(query)"), "expiresAt": .string(expiry.iso8601)]
    }

    /// Parses the image, so that no URL is signed that would be refused.
    private func image(
        _ value: JSONValue?,
        _ file: ServedFile,
        _ app: AppServices,
        _ request: Request
    ) async throws -> RequestedImage {
        guard let value, value != .null else { return .source }
        guard let text = value.stringValue, !text.isEmpty else {
            throw ServiceError(
                .badRequest,
                "image must be operators such as imageView2/1/w/200, or the name of a style."
            )
        }
        if app.images.names.styles[text] != nil { return .style(text) }
        try await app.requirePublicMarks(of: try app.imageRequest(chain: text, of: request, fileSize: file.size))
        return .chain(text)
    }
}

extension RequestedImage {
    /// What follows the key in the path of a URL.
    fileprivate func path(separator: Character) -> String {
        if case .style(let name) = self { "\(separator)\(name)" } else { "" }
    }

    /// The operators as a query; `nil` without any.
    fileprivate var query: String? {
        if case .chain(let text) = self { text.percentEncodedPath } else { nil }
    }
}
