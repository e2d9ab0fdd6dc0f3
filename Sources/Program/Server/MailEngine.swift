internal import CurlMail
internal import Domain
internal import Logging

/// The parts of mails that all apps share: the sender and the texts; `nil` where no mails are sent.
struct MailEngine {
    let templates: MailTemplates
    private let settings: MailSettings
    private let sender: CurlMailSender
    private let redirects: RedirectTargets
    private let base: String

    /// - Throws: ``ExitError`` if a template is wrong.
    init?(_ configuration: ServerConfiguration, _ pools: ThreadPools) throws {
        guard let settings = configuration.mail.settings, let server = configuration.mail.mailServer else { return nil }
        self.settings = settings
        base = configuration.fileURLBase
        let host = base.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        templates = try configuration.mail.templates(appName: settings.from.name.isEmpty ? host : settings.from.name)
        sender = CurlMailSender(server: server, pool: pools.mail)
        redirects = RedirectTargets(configuration.mail.redirects)
    }

    /// What an app does with mails.
    func policy(verifiesAddresses: Bool) -> MailPolicy {
        MailPolicy(
            allowance: MailAllowance(settings.limits),
            redirects: redirects,
            verifiesAddresses: verifiesAddresses
        )
    }

    /// The queue of an app.
    func queue(of app: AppID, _ store: any ObjectStore, _ logger: Logger) -> MailQueue {
        MailQueue(
            app: app,
            store: store,
            settings: settings,
            composer: MailComposer(settings: settings, templates: templates, links: LinkAddress(app: app, base: base)),
            sender: sender,
            logger: logger
        )
    }
}

extension ServerConfiguration {
    /// The threads for mails: one for each that is sent at the same time.
    func mailThreads(apps: Int) -> Int {
        mail.server == nil ? 1 : min(64, apps * mail.workers)
    }
}
