internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Captchas (protocol/data 6.4, docs/accounts.md).
struct CaptchaRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies
    let publicURL: String

    /// - Parameters:
    ///   - callers: The routes of apps.
    ///   - pictures: The routes of pictures, which `img` elements request without keys: the token is the credential.
    func add(to callers: RouterGroup<CallerContext>, pictures: RouterGroup<APIContext>) {
        callers.get("requestCaptcha", use: request)
        callers.post("verifyCaptcha", use: verify)
        pictures.get(":token/:app", use: show)
    }

    @Sendable private func request(_ request: Request, _ context: CallerContext) async throws -> Response {
        let parameters = try ObjectParameters(request)
        let token = try service(context.caller).token(
            width: try pixels("width", parameters),
            height: try pixels("height", parameters),
            count: try parameters.number("size"),
            seconds: try parameters.number("ttl"),
            as: context.caller
        )
        let url = "\(publicURL)/1.1/captchas/\(token)/\(context.caller.app)"
        var response = JSONValue.object(["captcha_token": .string(token), "captcha_url": .string(url)]).response()
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// A size without its fraction; `nil` if it is not given, or 0.
    private func pixels(_ name: String, _ parameters: ObjectParameters) throws -> Int? {
        guard let text = parameters.text(name) else { return nil }
        // Swift's sizes are doubles.
        guard let size = Double(text), let pixels = Int(exactly: size.rounded(.towardZero)) else {
            throw ServiceError(.badRequest, "\(name) must be a number.")
        }
        // Java sends 0 for a size that the app did not set.
        return size == 0 ? nil : pixels
    }

    @Sendable private func verify(_ request: Request, _ context: CallerContext) async throws -> Response {
        let captchas = try service(context.caller)
        return try await bodies.json(of: request, context) { body in
            let proof = try await captchas.solve(
                body.objectValue?["captcha_code"]?.stringValue ?? "",
                body.objectValue?["captcha_token"]?.stringValue ?? "",
                as: context.caller
            )
            return JSONValue.object(["validate_token": .string(proof)]).response()
        }
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        let missing = ServiceError(.routeNotFound, "There is no such captcha, or it has ended.")
        guard let app = AppID(try context.parameters.require("app")).flatMap({ apps[$0] }), let captchas = app.captchas
        else { throw missing }
        context.notes.note(app.id)
        let token = try context.parameters.require("token")
        guard let png = try await captchas.picture(token, for: context.clientAddress) else { throw missing }
        var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: png)))
        response.headers[.contentType] = "image/png"
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func service(_ caller: Caller) throws -> CaptchaService {
        guard let captchas = try apps.services(of: caller).captchas else { throw SMSPolicy.off }
        return captchas
    }
}
