internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Upload tokens, and the callbacks of SDKs after an upload (protocol/files 2.1, 2.2, 2.10).
struct TokenRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies
    let addresses: UploadAddresses
    let providers: ProviderChoice

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("fileTokens", use: token)
        // The path that the oldest JavaScript SDK uses.
        callers.post("qiniu", use: token)
        callers.post("fileCallback", use: callback)
    }

    @Sendable private func token(_ request: Request, _ context: CallerContext) async throws -> Response {
        let provider = providers.provider(for: ClientAgent(request.agent))
        return try await bodies.json(of: request, context) { body in try await token(body, provider, context) }
    }

    private func token(
        _ body: JSONValue,
        _ provider: UploadProvider,
        _ context: CallerContext
    ) async throws -> Response {
        let app = try apps.services(of: context.caller)
        guard let members = body.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        var description = try UploadDescription(members, by: context.caller, within: app.uploads.limits)
        // The SDK stores the values of this response, so the record has the same media type, for any bytes.
        description.mediaType = app.uploads.expectedType(of: description)
        let announcement = UploadAnnouncement(
            description,
            key: members["key"]?.stringValue,
            size: description.announcedSize
        )
        let (upload, token) = try await app.uploads.announce(announcement, as: context.caller)
        // Strings only, because Java reads every value as one.
        let answer: [String: String] = [
            "objectId": upload.id.description,
            "createdAt": upload.createdAt.iso8601,
            "name": upload.description.name.description,
            "key": upload.key.description,
            "url": app.presentation.url(ofUpload: upload.key),
            "bucket": app.presentation.bucket,
            // Without the charset that an import gives: C# fails on parameters (protocol/files 2.2).
            "mime_type": (upload.description.mediaType ?? .octetStream).description,
            "provider": provider.rawValue,
            "token": provider == .qiniu
                ? token.qiniuForm(bucket: app.presentation.bucket, key: upload.key, deadline: upload.expiresAt)
                : token.revealed,
            "upload_url": addresses.upload(token),
        ]
        return JSONValue.object(answer.mapValues(JSONValue.string)).response(status: .created)
    }

    /// Processes the callback of an SDK: only a cancellation and the end of an empty upload have an effect.
    @Sendable private func callback(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let body = try? await bodies.json(of: request, context) { body in body }
        let members = body?.objectValue ?? [:]
        if let token = members["token"]?.stringValue.flatMap({ UploadToken($0) }) {
            do {
                let isCancelled = members["result"] == .bool(false)
                try await app.uploads.using(token, describing: isCancelled ? .unused : .counted) { upload in
                    if isCancelled {
                        try await upload.cancel()
                    } else if members["result"] == .bool(true), upload.stored.size == 0, !upload.stored.isFinished {
                        // Java sends no request for an empty file.
                        _ = try await upload.receiveAll(announced: 0) { _ in [:] }
                    }
                }
            } catch let error as ServiceError where error.code == .uploadNotFound {
                // The upload has ended, perhaps in this moment.
            }
        }
        return JSONValue.object([:]).response()
    }
}

/// Creates the public URLs of uploads.
package struct UploadAddresses: Sendable {
    private let publicURL: String

    /// - Parameter publicURL: The URL under which clients reach the server, without a slash at its end.
    package init(publicURL: String) {
        self.publicURL = publicURL
    }

    func upload(_ token: UploadToken) -> String { "\(publicURL)/1.1/upload/\(token.revealed)" }

    func tus(_ token: UploadToken) -> String { "\(publicURL)/1.1/uploads/\(token.revealed)" }
}

extension Request {
    /// The client's description of itself.
    var agent: String {
        headers[.clientAgent] ?? headers[.userAgent] ?? ""
    }

    /// The Content-Length of the request.
    var announcedSize: Int64? {
        headers[.contentLength].flatMap { Int64($0) }
    }
}

extension HTTPField.Name {
    static let clientAgent = known("X-LC-UA")
    static let contentMD5 = known("Content-MD5")
}

extension HTTPFields {
    /// The MD5 of the body that the request announces.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if it is malformed.
    var announcedDigests: [DigestKind: [UInt8]] {
        get throws {
            guard let text = self[.contentMD5] else { return [:] }
            // RFC 1864 requires Base64; Qiniu's SDK sends hexadecimal digits.
            let digest = text.utf8.count == 32 ? [UInt8](hexadecimal: text) : [UInt8](base64: text)
            guard let digest, digest.count == 16 else {
                throw ServiceError(.badRequest, "Content-MD5 must be 16 bytes, in Base64 or as hexadecimal digits.")
            }
            return [.md5: digest]
        }
    }
}
