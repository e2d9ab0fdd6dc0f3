internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The requests of SDKs to an `upload_url`: S3 PUT, and all of Kodo and COS (docs/uploads.md, section 6).
///
/// The token in the path is the only credential. The method and the path after the token determine the dialect.
struct UploadAddressRoutes: Sendable {
    let apps: [AppServices]
    let bodies: RequestBodies
    /// The URLs of uploads, for the host to which Kodo v1 sends further chunks; SDKs ignore it.
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
        context.notes.note(app.id)
        if path.dialect == .object, let operation = S3Operation(request) { throw operation.refusal }
        return try await app.uploads.using(token, readingParts: false) { upload in
            switch (request.method, path.dialect) {
            case (.put, .object):
                return try await S3Put(limits: bodies.limits).answer(request, upload)
            case (.post, .object) where path.isBare:
                return try await KodoForm(bodies: bodies, app: app, sender: context.unknownClient)
                    .answer(request, upload, token)
            case (.post, .makeBlock(let size)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoBlocks(addresses, token).make(size, request, upload)
            case (.post, .putChunk(let block, let offset)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoBlocks(addresses, token).put(block, offset, request, upload)
            case (.post, .makeFile(let size, let key)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoBlocks(addresses, token)
                    .makeFile(size, key, request, upload, bodies, context.unknownClient)
            case (_, .parts(let path)):
                try KodoAuthorization.require(token, in: request)
                return try await KodoParts(bodies: bodies, sender: context.unknownClient).answer(path, request, upload)
            default:
                throw ServiceError(.routeNotFound, "There is no such path or method.")
            }
        }
    }
}

extension [AppServices] {
    /// The app of an upload; tokens are random, so at most one app has the token.
    func app(knowing token: UploadToken) async throws -> AppServices? {
        for app in self where try await app.uploads.knows(token) { return app }
        return nil
    }
}

/// The part of an `upload_url`'s path after the token.
struct UploadPath {
    /// The operation of a request.
    enum Dialect: Equatable {
        /// The upload as a whole.
        case object
        case makeBlock(size: Int64)
        case putChunk(context: String, offset: Int64)
        case makeFile(size: Int64, key: String?)
        case parts(KodoParts.Path)
    }

    let dialect: Dialect
    /// Whether the path ends with the token.
    let isBare: Bool

    /// Parses `/1.1/upload/<token>…`; an unknown path is an S3 client's own.
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

    /// The segments after `key` up to the next pair: the standard Base64 alphabet contains slashes.
    private static func key(in segments: [Substring]) -> String? {
        guard let start = segments.firstIndex(of: "key") else { return nil }
        let key = segments[(start + 1)...].prefix { !["mimeType", "fname"].contains($0) && !$0.hasPrefix("x:") }
        return key.isEmpty ? nil : key.joined(separator: "/").percentDecoded
    }

    /// The error for a token that no upload has.
    func refusal(of method: HTTPRequest.Method) -> any Error {
        if isS3(method) { return UploadService.notFound }
        if case .parts(let path) = dialect, path.uploadID != nil { return KodoParts.unknownID }
        return KodoAuthorization.refusal
    }

    /// Whether a request uses S3, and therefore its error format.
    func isS3(_ method: HTTPRequest.Method) -> Bool {
        method == .put && dialect == .object
    }
}

/// Checks that `Authorization: UpToken <token>` has the path's token.
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
