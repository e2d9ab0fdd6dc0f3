/// Makes the message of a queued mail from its template.
package struct MailComposer: Sendable {
    private let settings: MailSettings
    private let templates: MailTemplates
    private let links: LinkAddress

    /// - Parameters:
    ///   - settings: Sender and language.
    ///   - templates: The texts.
    ///   - links: Makes the addresses of links.
    package init(settings: MailSettings, templates: MailTemplates, links: LinkAddress) {
        self.settings = settings
        self.templates = templates
        self.links = links
    }

    /// The message of a mail with the link of a token.
    func message(_ mail: QueuedMail, _ token: MailToken, at now: Timestamp) throws -> MailMessage {
        guard let to = MailAddress(mail.to) else {
            throw MailFailure(.refused, "The address is not one to which this server sends mail.")
        }
        let values = [
            "app": templates.appName, "email": mail.to, "link": links.url(of: token),
            "lifetime": settings.language.duration(settings.lifetime(of: mail.purpose)),
        ]
        let texts = templates.mail(mail.purpose, settings.language, values)
        return MailMessage(
            from: settings.from,
            replyTo: settings.replyTo,
            to: to,
            subject: texts.subject,
            text: texts.text,
            html: texts.html,
            id: "\(mail.id).\(mail.attempts).\(RandomString.lowercase(8))",
            date: now
        )
    }
}

/// The addresses of the pages behind links, on the server's own origin.
package struct LinkAddress: Sendable {
    private let app: AppID
    private let base: String

    /// - Parameters:
    ///   - app: The app.
    ///   - base: The URL under which clients reach the server, without a slash at its end.
    package init(app: AppID, base: String) {
        self.app = app
        self.base = base
    }

    /// The URL of a link, in which the token comes first behind `links`, where the log hides it.
    func url(of token: MailToken) -> String {
        "\(base)/1.1/links/\(token.revealed)/\(app)"
    }
}
