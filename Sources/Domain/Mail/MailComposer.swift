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
            throw DeliveryFailure(.refused, "The address is not one to which this server sends mail.")
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
