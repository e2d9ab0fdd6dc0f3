internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The pages behind the links in mails: `GET` shows a form, and only its `POST` acts (docs/accounts.md).
///
/// Programs that follow the links in mails, such as virus scanners, therefore use up no link. The token in the URL is the
/// credential, so no other site can send the form.
struct LinkRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    private static let formLimit = BodyLimit(size: 16 << 10, setting: "the limit of forms")

    func add(to group: RouterGroup<APIContext>) {
        group.get(":token/:app", use: show)
        group.head(":token/:app", use: show)
        group.post(":token/:app", use: act)
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        let (app, token, templates) = try service(context)
        let page = LinkPage(templates: templates, request: request)
        var response = try await app.links.link(token).map { page.form($0) } ?? page.invalid()
        if request.method == .head { response.leaveOutBody() }
        return response
    }

    @Sendable private func act(_ request: Request, _ context: APIContext) async throws -> Response {
        let (app, token, templates) = try service(context)
        let page = LinkPage(templates: templates, request: request)
        guard let link = try await app.links.link(token) else { return page.invalid() }
        let sender = context.unknownClient
        return try await bodies.text(of: request, from: sender, upTo: LinkRoutes.formLimit) { body in
            let fields = try ObjectParameters(query: String(buffer: body.text))
            let used: MailLink?
            switch link.purpose {
            case .verify:
                used = try await app.links.verify(token)
            case .reset:
                let password = fields.formText("password")
                guard password == fields.formText("again") else { return page.form(link, .differ) }
                do {
                    used = try await app.links.reset(token, to: password, from: context.clientAddress ?? "")
                } catch let error as ServiceError where LinkRoutes.passwordFaults.contains(error.code) {
                    return page.form(link, .unusable)
                }
            }
            guard let used else { return page.invalid() }
            let target = used.redirect.flatMap { app.links.allowsRedirect(to: $0) ? $0 : nil }
            return page.done(used, continuing: target)
        }
    }

    /// The errors of a password that the reader of the page can enter.
    private static let passwordFaults: Set<ServiceError.Code> = [
        .missingPassword, .blankPassword, .badRequest, .malformedJSON,
    ]

    private func service(_ context: APIContext) throws -> (AppServices, token: String, MailTemplates) {
        guard let app = AppID(try context.parameters.require("app")).flatMap({ apps[$0] }),
            let templates = app.links.templates
        else { throw ServiceError(.routeNotFound, "There is no such path or method.") }
        context.notes.note(app.id)
        return (app, try context.parameters.require("token"), templates)
    }
}

extension ObjectParameters {
    /// A field of a form, of which every text counts; empty if it is missing.
    fileprivate func formText(_ name: String) -> String { body[name]?.stringValue ?? "" }
}
