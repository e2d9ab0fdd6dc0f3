internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// What SDKs send to an `upload_url`: S3 PUT, and all of Kodo and COS (docs/uploads.md, section 6).
///
/// The token in the path is all that a request needs. Which dialect it speaks shows in its method and in what follows
/// the token.
struct UploadAddressRoutes: Sendable {
    let apps: [AppServices]
    let bodies: RequestBodies
    /// The host to which Kodo v1 is told to send further chunks; SDKs ignore it.
    let addresses: UploadAddresses

    func add(to group: RouterGroup<APIContext>) {
        for method in [HTTPRequest.Method.put, .post, .delete] {
            group.on(":token", method: method, use: route)
            group.on(":token/**", method: method, use: route)
        }
    }

    @Sendable private func route(_ request: Request, _ context: APIContext) async throws -> Response {
        let text = try context.parameters.require("token")
        let path = UploadPath(request.uri.path)
        guard let token = UploadToken(text), let app = try await apps.app(knowing: token) else {
            throw path.refusal(of: request.method)
        }
        return try await app.uploads.using(token) { upload in
            switch (request.method, path.dialect) {
            case (.put, .object):
                return try await S3Put(limits: bodies.limits).answer(request, upload)
            case (.post, .object) where path.isBare:
                return try await KodoForm(limits: bodies.limits, app: app).answer(request, upload, token)
            case (.post, .makeBlock(let size)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoBlocks(addresses, token).make(size, request, upload)
            case (.post, .putChunk(let block, let offset)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoBlocks(addresses, token).put(block, offset, request, upload)
            case (.post, .makeFile(let size, let key)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoBlocks(addresses, token)
                    .makeFile(size, key, request, upload, bodies, context.channel)
            case (_, .parts(let path)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoParts(bodies: bodies, channel: context.channel).answer(path, request, upload)
            default:
                throw ServiceError(.routeNotFound, "There is no such path or method.")
            }
        }
    }
}

extension [AppServices] {
    /// The app that an upload belongs to; tokens are random, so at most one has it.
    func app(knowing token: UploadToken) async throws -> AppServices? {
        for app in self where try await app.uploads.knows(token) { return app }
        return nil
    }
}

/// What follows the token in the path of an `upload_url`.
struct UploadPath {
    /// What a request is about.
    enum Dialect: Equatable {
        /// The upload as a whole.
        case object
        case makeBlock(size: Int64)
        case putChunk(context: String, offset: Int64)
        case makeFile(size: Int64, key: String?)
        case parts(KodoParts.Path)
    }

    let dialect: Dialect
    /// Whether nothing follows.
    let isBare: Bool

    /// Reads `/1.1/upload/<token>…`; what no dialect knows is part of an S3 client's own path.
    init(_ path: String) {
        let rest = path.split(separator: "/", omittingEmptySubsequences: true).dropFirst(3)
        isBare = rest.isEmpty
        let segments = Array(rest)
        switch (segments.first, segments.count) {
        case ("mkblk", 2):
            dialect = Int64(segments[1]).map(Dialect.makeBlock) ?? .object
        case ("bput", 3):
            dialect =
                Int64(segments[2]).map { .putChunk(context: segments[1].percentDecoded ?? "", offset: $0) } ?? .object
        case ("mkfile", 2...):
            dialect = Int64(segments[1]).map { .makeFile(size: $0, key: UploadPath.key(in: segments)) } ?? .object
        case ("buckets", 4...):
            dialect = KodoParts.Path(segments).map(Dialect.parts) ?? .object
        default:
            dialect = .object
        }
    }

    /// What follows `key` up to the next pair: Base64 in its standard alphabet may have slashes in it.
    private static func key(in segments: [Substring]) -> String? {
        guard let start = segments.firstIndex(of: "key") else { return nil }
        let key = segments[(start + 1)...].prefix { !["mimeType", "fname"].contains($0) && !$0.hasPrefix("x:") }
        return key.isEmpty ? nil : key.joined(separator: "/").percentDecoded
    }

    /// What a token that no upload has is answered with.
    func refusal(of method: HTTPRequest.Method) -> any Error {
        if isS3(method) { return UploadService.notFound }
        if case .parts(let path) = dialect, path.uploadID != nil { return KodoParts.unknownID }
        return KodoAuthorization.refusal
    }

    /// Whether a request speaks S3, and so wants its errors.
    func isS3(_ method: HTTPRequest.Method) -> Bool {
        method == .put && dialect == .object
    }
}

/// `Authorization: UpToken <token>`, which has to be the path's.
enum KodoAuthorization {
    static let refusal = DialectError(401, "bad token: missing, unknown or expired.")

    static func require(_ token: UploadToken, in request: Request) throws {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "uptoken" else { throw refusal }
        try require(token, is: String(parts[1]))
    }

    static func require(_ token: UploadToken, is text: String?) throws {
        guard let shown = text.flatMap({ UploadToken($0) }), token.matches(shown) else { throw refusal }
    }
}
