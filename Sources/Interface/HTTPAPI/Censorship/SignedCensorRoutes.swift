internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The routes of censorship whose signature is the credential: the images for reviewers and the webhook, and the
/// webhook's later answers (docs/censorship.md).
struct SignedCensorRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    /// The maximum size of a callback's body in bytes: that of an answer of the webhook.
    private static let callbackLimit = BodyLimit(size: WebhookReply.maxSize, setting: "the limit of callbacks")

    func add(to group: RouterGroup<APIContext>) {
        group.get("files/:app/:file/:expires/:signature", use: preview)
        group.head("files/:app/:file/:expires/:signature", use: preview)
        group.post("callback", use: callback)
    }

    @Sendable private func preview(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let app = AppID(try context.parameters.require("app")).flatMap({ apps[$0] }) else {
            throw ServiceError(.forbidden, "The address of this preview is wrong.")
        }
        let origin = try await app.censorship.preview(
            file: try context.parameters.require("file"),
            expires: try context.parameters.require("expires"),
            signature: try context.parameters.require("signature")
        )
        context.notes.note(app.id)
        let whole = {
            let representation = Representation(
                mediaType: origin.mediaType,
                size: origin.size,
                tag: EntityTag(strong: origin.version),
                modified: nil,
                caching: .never
            )
            return try await representation.response(to: request) { pieces in
                ResponseBody(of: try await origin.open(), pieces: pieces, context)
            }
        }
        guard let imageRequest = try await app.imageRequest(of: request, fileSize: origin.size) else {
            return try await whole()
        }
        let images = ImageAnswer(app: app, origin: origin, modified: nil, caching: .never)
        return try await images.answer(imageRequest, to: request, context, source: { _ in try await whole() })
    }

    @Sendable private func callback(_ request: Request, _ context: APIContext) async throws -> Response {
        let sender = context.unknownClient
        return try await bodies.text(of: request, from: sender, upTo: Self.callbackLimit) { text in
            let bytes = Array(buffer: text.text)
            let members = try JSONValue(parsing: bytes, field: "body").objectValue ?? [:]
            guard let app = members["app"]?.stringValue.flatMap(AppID.init).flatMap({ apps[$0] }) else {
                throw ServiceError(.forbidden, "app must be the id of an app of this server.")
            }
            let verdict = try await app.censorship.callback(
                bytes,
                timestamp: request.headers[.known(WebhookSignature.timestampHeader)],
                signature: request.headers[.known(WebhookSignature.signatureHeader)]
            )
            context.notes.note(app.id)
            return JSONValue.object(["censorResult": .string(verdict.rawValue)]).response()
        }
    }
}
