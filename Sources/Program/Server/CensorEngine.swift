internal import CurlFetch
internal import Domain
internal import Logging
internal import VisionModel

/// The parts of censorship that all apps share: the classifier and the webhooks.
struct CensorEngine {
    let classifier: VisionClassifier
    /// The webhook that decides about images; `nil` for none.
    let webhook: (url: RemoteURL, settings: WebhookSettings)?
    private let purge: (url: RemoteURL, settings: WebhookSettings)?
    private let callback: String

    init(_ configuration: ServerConfiguration, _ pools: ThreadPools) {
        let settings = configuration.censorship
        classifier = VisionClassifier(
            model: settings.model,
            program: settings.classifier.isEmpty ? VisionClassifier.programBesideServer : settings.classifier,
            workers: settings.limits.workers,
            timing: VisionClassifier.Timing(answer: .seconds(settings.limits.timeout))
        )
        let sender = CurlWebhookSender(
            limits: configuration.fetching,
            addresses: AddressGuard(allowedNetworks: configuration.fetchNetworks),
            pool: pools.webhooks,
            limit: 256
        )
        let webhooks = WebhookSettings(
            sender: sender,
            secret: settings.secret,
            timeout: settings.webhookTimeout
        )
        // Checked with the configuration.
        webhook = settings.webhookURL.flatMap { try? RemoteURL($0) }.map { ($0, webhooks) }
        purge = settings.purgeURL.flatMap { try? RemoteURL($0) }.map { ($0, webhooks) }
        callback = "\(configuration.fileURLBase)/1.1/censorship/callback"
    }

    /// The chain of checkers of an app.
    func checkers(
        of app: AppID,
        store: any ObjectStore,
        known: KnownImages,
        previews: Previews
    ) -> [any Checker] {
        var checkers: [any Checker] = [
            KnownImageChecker(store: store, known: known), ClassifierChecker(classifier),
        ]
        if let (url, settings) = webhook {
            checkers.append(
                WebhookChecker(app: app, url: url, settings: settings, previews: previews, callback: callback)
            )
        }
        return checkers
    }

    /// Starts the classifier if an app needs it, and logs whether it can be used.
    ///
    /// Without a model, which most servers do not need, it only says so.
    func prepare(isNeeded: Bool, _ logger: Logger) async {
        if isNeeded { try? await classifier.prepare() }
        guard let reason = classifier.unavailability else {
            return logger.info("The classifier of images is on")
        }
        let level: Logger.Level = isNeeded && webhook == nil ? .warning : .info
        logger.log(level: level, "The classifier of images is off", metadata: ["reason": "\(reason)"])
    }

    /// Ends the classifier's processes.
    func close() async {
        await classifier.close()
    }

    /// Tells the CDN of an app's blocked files; `nil` without `censorship.purge`.
    func purge(of app: AppID, _ files: FilePresentation) -> PurgeHook? {
        purge.map { PurgeHook(app: app, url: $0.url, settings: $0.settings, files: files) }
    }
}

extension ServerConfiguration {
    /// The threads for webhooks: one for each check that can run, and one for purges.
    func webhookThreads(apps: Int) -> Int {
        guard censorship.webhookURL != nil || censorship.purgeURL != nil else { return 1 }
        return min(64, apps * (censorship.limits.workers + 1))
    }
}
