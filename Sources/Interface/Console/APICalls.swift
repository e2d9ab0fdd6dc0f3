internal import Domain
internal import HTTPAPI
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// The API for the site, at `/console/api`: each call is passed on with the master key, if the session allows it.
///
/// The cookie therefore has no meaning outside `/console`, and there are no rules here beside those of the API.
struct APICalls: Sendable {
    let sessions: SessionRoutes
    let authenticator: Authenticator
    let api: MountedAPI

    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]
    static let prefix = "/console/api"
    /// A response that a browser opens as a page runs no script and has no origin.
    static let policy = "sandbox; default-src 'none'; frame-ancestors 'none'"

    @Sendable func respond(_ request: Request, _ context: APIContext) async throws -> Response {
        let console: OpenConsole
        let passed: Request
        do {
            guard let open = try await sessions.session(of: request) else {
                return try await refuse(request, context, .unauthorized, "Log in at the console.", reason: "ended")
            }
            console = open
            do {
                try console.requireToken(request)
            } catch let error as ServiceError {
                return try await refuse(request, context, error.code, error.message, reason: "changed")
            }
            passed = try self.passed(request, of: console)
        } catch {
            return try await api.refuse(request, with: error, context: context)
        }
        guard let change = ConsoleChange(passed, id: context.id) else {
            return protected(try await api.respond(to: passed, context: context))
        }
        let entry: ObjectID?
        do {
            entry = try await console.service.begin(change, of: console.session, from: context.clientNetwork ?? "")
        } catch {
            return try await api.refuse(request, with: error, context: context)
        }
        if entry == nil {
            context.logger.warning(
                "The audit log of the console has no entry for a change, because the storage is full.",
                metadata: ["session": "\(console.session.id)", "change": "\(change.summary)"]
            )
        }
        let response = try await api.respond(to: passed, context: context)
        if let entry {
            do {
                try await console.service.finish(entry, status: response.status.code)
            } catch {
                // The change is made; its entry says that the result is not known.
                context.logger.warning("The audit log of the console has no status.", metadata: ["error": "\(error)"])
            }
        }
        return protected(response)
    }

    private func refuse(
        _ request: Request,
        _ context: APIContext,
        _ code: ServiceError.Code,
        _ message: String,
        reason: String
    ) async throws -> Response {
        let error = ServiceError(code, message)
        var response = protected(try await api.refuse(request, with: error, context: context))
        response.headers[.consoleSession] = reason
        return response
    }

    /// The request of the API, with the credentials of the app instead of those of the browser.
    ///
    /// - Throws: ``ServiceError/Code/routeNotFound``; ``ServiceError/Code/forbidden`` for a change, or the app key,
    ///   by a session that only reads.
    private func passed(_ request: Request, of console: OpenConsole) throws -> Request {
        var head = request.head
        let path = (head.path ?? "").dropFirst(APICalls.prefix.count)
        guard path.hasPrefix("/1.1/"), let key = authenticator.masterKey(of: console.app) else {
            throw ServiceError(.routeNotFound, "There is no such path or method.")
        }
        head.path = String(path)
        var fields = HTTPFields()
        for field in head.headerFields where !APICalls.isCredential(field.name) { fields.append(field) }
        fields[.console("X-LC-Id")] = console.app.description
        fields[.console("X-LC-Key")] = "\(key.revealed),master"
        head.headerFields = fields
        let passed = Request(head: head, body: request.body)
        guard !console.session.isReadOnly || !(passed.isChange || passed.showsKey) else {
            throw ServiceError(.forbidden, "This session of the console only reads.")
        }
        return passed
    }

    /// Whether a field says who the client is, or from which page it comes.
    private static func isCredential(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return ["cookie", "origin", "referer", "authorization", "x-console-token"].contains(name)
            || ["x-lc-", "x-avoscloud-", "x-uluru-"].contains { name.hasPrefix($0) }
    }

    private func protected(_ response: Response) -> Response {
        var response = response
        response.headers[.contentSecurityPolicy] = APICalls.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.console("Cross-Origin-Resource-Policy")] = "same-origin"
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
