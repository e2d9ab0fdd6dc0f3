internal import Domain
internal import HTTPAPI
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Log-in, log-out, and the state of a session, at `/console/session`.
struct SessionRoutes: Sendable {
    let services: [AppID: ConsoleService]
    let authenticator: Authenticator
    let gate: ConsoleGate
    let failures: RateLimit<String>

    private static let bodyLimit = 16 << 10

    init(services: [AppID: ConsoleService], authenticator: Authenticator, gate: ConsoleGate) {
        self.services = services
        self.authenticator = authenticator
        self.gate = gate
        let most = gate.options.maxFailures
        failures = RateLimit(
            most,
            seconds: 60,
            setting: "console.maxFailures",
            refusal: "Log-ins at the console from this address have failed \(most) times, the limit for one minute"
        )
    }

    /// The session of a request; `nil` if it has none.
    func session(of request: Request) async throws -> OpenConsole? {
        guard let cookie = ConsoleCookie(request), let service = services[cookie.app],
            let session = try await service.session(of: cookie.token)
        else { return nil }
        return OpenConsole(app: cookie.app, token: cookie.token, session: session, service: service)
    }

    /// Responds with the session; with an empty object if there is none.
    @Sendable func show(_ request: Request, _ context: APIContext) async throws -> Response {
        guard !ConsoleGate.isForeign(request) else { throw SessionRoutes.foreign }
        return response(try await session(of: request)?.json ?? .object([:]))
    }

    @Sendable func logIn(_ request: Request, _ context: APIContext) async throws -> Response {
        guard !ConsoleGate.isForeign(request) else { throw SessionRoutes.foreign }
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            throw ServiceError(.badRequest, "The body must be JSON: {\"app\": …, \"key\": …}.")
        }
        guard gate.isConfidential(request, context) else {
            throw ServiceError(
                .forbidden,
                "The console needs HTTPS, because the key and the session would be readable on the network."
            )
        }
        let (app, key) = try await credentials(in: request)
        // Counted before the comparison, so that parallel attempts do not pass the limit.
        let address = context.clientNetwork ?? ""
        try failures.take(for: address)
        let found: (app: AppID, isReadOnly: Bool)
        do {
            found = try authenticator.consoleLogIn(appID: app, key: key)
        } catch {
            context.logger.warning("A log-in at the console failed.", metadata: ["client": "\(address)"])
            throw ServiceError(.unauthorized, "The app id or the key is wrong.")
        }
        failures.giveBack(for: address)
        guard let service = services[found.app] else { throw ServiceError(.internalFailure, "Internal error.") }
        let (session, token) = try await service.logIn(
            isReadOnly: found.isReadOnly,
            from: address,
            browser: request.headers[.userAgent] ?? ""
        )
        context.logger.notice(
            "A session of the console began.",
            metadata: ["app": "\(found.app)", "session": "\(session.id)", "client": "\(address)"]
        )
        var response = response(OpenConsole(app: found.app, token: token, session: session, service: service).json)
        let cookie = ConsoleCookie(app: found.app, token: token)
        let isEncrypted = gate.isEncrypted(context)
        response.setCookie(cookie.field(for: request, life: gate.options.sessionLife, isEncrypted: isEncrypted))
        return response
    }

    private func credentials(in request: Request) async throws -> (app: String, key: String) {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: SessionRoutes.bodyLimit)
        } catch is NIOTooManyBytesError {
            throw ServiceError(.payloadTooLarge, "The body must have at most \(SessionRoutes.bodyLimit) bytes.")
        }
        let members = try JSONValue(parsing: Array(body.readableBytesView), field: "The body").objectValue ?? [:]
        guard let app = members["app"]?.stringValue, let key = members["key"]?.stringValue else {
            throw ServiceError(.badRequest, "app and key must be strings.")
        }
        return (app, key)
    }

    @Sendable func logOut(_ request: Request, _ context: APIContext) async throws -> Response {
        var response = response(.object([:]))
        if let console = try await session(of: request) {
            try console.requireToken(request)
            try await console.service.logOut(console.session)
        }
        response.setCookie(ConsoleCookie.removal(for: request, isEncrypted: gate.isEncrypted(context)))
        return response
    }

    private static let foreign = ServiceError(.forbidden, "Another site cannot use the console.")

    private func response(_ json: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff", .contentSecurityPolicy: APICalls.policy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.encoded()))
        )
    }
}
