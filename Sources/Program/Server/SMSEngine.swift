internal import CurlFetch
internal import Domain
internal import Logging
internal import VipsMedia

/// The parts of SMS and captchas that all apps share; `nil` where no SMS are sent and no number has a fixed code.
struct SMSEngine {
    private let configuration: SMSConfiguration
    private let fixed: FixedNumbers
    private let templates: SMSTemplates
    private let sender: any SMSSender
    private let painter: VipsCaptchaPainter
    private let limits: RequestLimits

    /// - Throws: ``ExitError`` if a template is wrong, and an error if libvips cannot start.
    init?(
        _ configuration: ServerConfiguration,
        _ pools: ThreadPools,
        _ limits: RequestLimits,
        _ logger: Logger
    ) throws {
        let sms = configuration.sms
        let country = configuration.accounts.countryCode
        guard sms.isOn(country: country) else { return nil }
        self.configuration = sms
        self.limits = limits
        fixed = sms.fixed(country: country)
        let host = configuration.fileURLBase.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        templates = try sms.templates(host: host)
        painter = try VipsCaptchaPainter(pool: pools.quickImages)
        switch sms.provider {
        case .webhook:
            let webhooks = CurlWebhookSender(
                limits: configuration.fetching,
                addresses: AddressGuard(allowedNetworks: configuration.fetchNetworks),
                pool: pools.sms,
                limit: 1024
            )
            sender = SMSWebhook(try sms.webhook(), sender: webhooks)
        case .log: sender = SMSLog(logger)
        case .off: sender = SMSOff()
        }
    }

    /// What an app does with SMS.
    func policy(of app: AppConfiguration) -> SMSPolicy {
        SMSPolicy(
            settings: configuration.settings,
            allowance: SMSAllowance(configuration.settings.limits),
            secret: SMSSecret(masterKey: app.keys.masterKey),
            fixed: fixed,
            templates: templates,
            canSend: configuration.provider != .off,
            showsCodes: configuration.provider == .log
        )
    }

    /// The captchas of an app.
    func captchas(of app: AppConfiguration, _ store: any ObjectStore) -> CaptchaService {
        CaptchaService(
            store: store,
            secret: CaptchaSecret(masterKey: app.keys.masterKey),
            painter: painter,
            isRequired: configuration.requiresCaptcha,
            limits: limits
        )
    }

    /// The queue of an app.
    func queue(of app: AppID, _ store: any ObjectStore, _ policy: SMSPolicy, _ logger: Logger) -> SMSQueue {
        SMSQueue(app: app, store: store, policy: policy, sender: sender, logger: logger)
    }
}

extension ServerConfiguration {
    /// The threads for SMS: one for each that is sent at the same time.
    func smsThreads(apps: Int) -> Int {
        sms.provider == .webhook ? min(64, apps * sms.settings.workers) : 1
    }
}
