package import Domain
package import Hummingbird
package import Logging
internal import NIOCore

/// The HTTP interface: the handler of each path, and the order of the middleware.
package struct API: Sendable {
    private let apps: [AppID: AppServices]
    private let order: [AppID]
    private let authenticator: Authenticator
    private let addresses: UploadAddresses
    private let providers: ProviderChoice
    private let bodies: RequestBodies
    private let health: StorageHealth
    private let readiness: Readiness
    private let publicURL: String
    /// Accepts the WebSockets of live queries; `nil` if no app has them.
    package let liveConnections: LiveConnections?
    /// The prepared responses of downloads; `nil` without them.
    package let hotDownloads: HotDownloads?
    /// Counts the requests of the connections; pass it to ``HTTPConnection``.
    package let metrics: RequestMetrics
    private let compresses: Bool
    private let proxies: TrustedProxies
    private let requestLimits: RequestLimits
    private let requests: RequestSink?

    /// - Parameters:
    ///   - apps: The apps of this server; a file key is looked up in them in this order.
    ///   - authenticator: Has the keys of the same apps.
    ///   - publicURL: The URL under which clients reach the API, without a slash at its end.
    ///   - limits: Limits of the HTTP interface.
    ///   - providers: The upload dialect for each SDK.
    ///   - largeBodies: Processes requests with large JSON bodies; `nil` means that they run like all others.
    ///   - health: The state that `/health` reports.
    ///   - readiness: The state that `/ready` reports.
    ///   - compresses: Whether JSON responses are compressed for clients that accept it.
    ///   - maxWebSockets: The maximum number of open WebSockets.
    ///   - hotDownloads: The maximum size of the table of prepared responses.
    ///   - proxies: The reverse proxies that are believed when they name a client.
    ///   - requestLimits: How often clients can call.
    ///   - requests: Receives each request for the log; `nil` if no request is logged.
    ///   - logger: Records what happens on WebSockets.
    package init(
        apps: [AppServices],
        authenticator: Authenticator,
        publicURL: String,
        limits: WireLimits = WireLimits(),
        providers: ProviderChoice = ProviderChoice(),
        largeBodies: (any TaskExecutor)? = nil,
        health: StorageHealth = StorageHealth(),
        readiness: Readiness = Readiness(),
        compresses: Bool = true,
        maxWebSockets: Int = .max,
        hotDownloads: HotDownloadLimits = HotDownloadLimits(),
        proxies: TrustedProxies = TrustedProxies(),
        requestLimits: RequestLimits = RequestLimits(),
        requests: RequestSink? = nil,
        logger: Logger = Logger(label: "lcfile")
    ) {
        self.health = health
        self.readiness = readiness
        self.compresses = compresses
        self.proxies = proxies
        self.requestLimits = requestLimits
        self.requests = requests
        self.publicURL = publicURL
        let hasHotDownloads = hotDownloads.responses > 1 && hotDownloads.memory > 0
        self.hotDownloads =
            hasHotDownloads ? HotDownloads(limits: hotDownloads, feeds: apps.map(\.files.changes)) : nil
        metrics = RequestMetrics { path in apps.contains { $0.images.names.style(of: path) != nil } }
        let live = apps.compactMap { app in app.liveQueries.map { (app.id, $0) } }
        liveConnections =
            live.isEmpty
            ? nil
            : LiveConnections(
                services: Dictionary(uniqueKeysWithValues: live),
                most: maxWebSockets,
                proxies: proxies,
                requestLimits: requestLimits,
                logger: logger
            )
        bodies = RequestBodies(limits: limits, threads: largeBodies)
        self.apps = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) })
        order = apps.map(\.id)
        self.authenticator = authenticator
        addresses = UploadAddresses(publicURL: publicURL)
        self.providers = providers
    }

    /// The memory of all JSON bodies together and its limit, in bytes.
    package var bodyMemory: (used: Int, limit: Int) { bodies.usedMemory }

    /// Builds the responder; call it once.
    ///
    /// - Parameters:
    ///   - mounted: Routes beside the API; `nil` for none.
    ///   - monitor: Knows the state of the server for its owners; `nil` for an API without these routes.
    /// - Returns: The responder of all requests.
    package func responder(
        mounting mounted: (any MountedRoutes)? = nil,
        monitor: (any ServerMonitor)? = nil
    ) -> some HTTPResponder<APIContext> {
        let log = RequestLog(sink: requests, failures: apps.mapValues(\.failures))
        let routes = router(log, monitor: monitor).buildResponder()
        return EntryResponder(
            routes: routes,
            tunnel: TunnelResponder(base: routes, bodies: bodies),
            mount: mounted.map { MountResponder($0, api: MountedAPI(base: routes, log: log)) },
            proxies: proxies
        )
    }

    /// The router with all routes of the API.
    func router(_ log: RequestLog, monitor: (any ServerMonitor)?) -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        router.add(middleware: APIMiddleware(log: log))
        HealthRoute(health: health).add(to: router)
        ReadinessRoute(readiness: readiness).add(to: router)
        RealtimeRoutes(apps: apps, connections: liveConnections, publicURL: publicURL).add(to: router)
        for version in ["1.1", "1"] {
            // Python's SDK requests the time before it signs other requests (protocol/data 1.2).
            router.get("\(version)/date") { _, _ in JSONValue.date(.now()).response() }
            let authenticated = router.group("\(version)")
                .add(middleware: Authentication(authenticator: authenticator, apps: apps, limits: requestLimits))
            ClientRoute().add(to: authenticated)
            let callers = authenticated.group(context: CallerContext.self)
            UploadRoutes(apps: apps, bodies: bodies).add(to: callers.group().add(middleware: pace()))
            TokenRoutes(apps: apps, bodies: bodies, addresses: addresses, providers: providers).add(to: callers)
            addUploads(to: router, version)
            ContentRoutes(apps: all, authenticator: authenticator, limits: requestLimits)
                .add(to: router.group("\(version)"))
            addObjects(to: callers)
            LiveQueryRoutes(apps: apps, bodies: bodies).add(to: callers)
            AccountRoutes(apps: apps, bodies: bodies).add(to: callers)
            MailRoutes(apps: apps, bodies: bodies).add(to: callers)
            SMSRoutes(apps: apps, bodies: bodies).add(to: callers)
            CaptchaRoutes(apps: apps, bodies: bodies, publicURL: publicURL).add(
                to: callers,
                pictures: router.group("\(version)/captchas").add(middleware: allowance)
            )
            LinkRoutes(apps: apps, bodies: bodies).add(to: router.group("\(version)/links").add(middleware: allowance))
            PermissionRoutes(apps: apps, bodies: bodies).add(to: callers)
            RoleRoutes(apps: apps).add(to: callers)
            MirrorRoutes(apps: apps).add(to: callers)
            AppRoute(authenticator: authenticator, publicURL: publicURL).add(to: callers)
            ConsoleSessionRoutes(apps: apps).add(to: callers)
            TrashRoutes(apps: apps).add(to: callers)
            CollectionRoutes(apps: apps, bodies: bodies).add(to: callers)
            UsageRoutes(apps: apps).add(to: callers)
            if let monitor { ServerRoutes(apps: apps, monitor: monitor).add(to: callers) }
            ChangeRoutes(apps: apps).add(to: callers)
            FileURLRoutes(apps: apps, bodies: bodies).add(to: callers)
            CensorRoutes(apps: apps, bodies: bodies).add(to: callers)
            CensorshipRoutes(apps: apps, bodies: bodies).add(to: callers)
            CensorRunRoutes(apps: apps, bodies: bodies).add(to: callers)
            KnownImageRoutes(apps: apps, bodies: bodies).add(to: callers)
            SignedCensorRoutes(apps: apps, bodies: bodies)
                .add(to: router.group("\(version)/censorship").add(middleware: allowance))
        }
        DownloadRoutes(apps: all, hotDownloads: hotDownloads).add(to: router)
        return router
    }

    /// Adds the routes whose responses can be long and are compressed.
    private func addObjects(to callers: RouterGroup<CallerContext>) {
        let callers = callers.group().add(middleware: ObjectMiddleware(compresses: compresses))
        ObjectRoutes(apps: apps, bodies: bodies).add(to: callers)
        FriendshipRoutes(apps: apps, bodies: bodies).add(to: callers)
        FeedRoutes(apps: apps, bodies: bodies).add(to: callers)
        CloudQueryRoutes(apps: apps).add(to: callers)
        BatchRoutes(apps: apps, bodies: bodies).add(to: callers)
        SchemaRoutes(apps: apps, bodies: bodies).add(to: callers)
    }

    /// Adds the routes that need no app key, because an upload's URL is the credential, and tus, which needs both.
    private func addUploads(to router: Router<APIContext>, _ version: String) {
        UploadAddressRoutes(apps: all, bodies: bodies, addresses: addresses)
            .add(
                to: router.group("\(version)/upload")
                    .add(middleware: UploadErrors())
                    .add(middleware: allowance)
                    .add(middleware: pace())
            )
        let tus = TusMiddleware(largest: all.map(\.uploads.limits.fileSize).max() ?? 0)
        let uploads = router.group("\(version)/uploads").add(middleware: tus)
        uploads.on("", method: .options, use: tus.options)
        uploads.on(":token", method: .options, use: tus.options)
        ProgressRoutes(apps: all).add(to: uploads.group().add(middleware: allowance))
        TusRoutes(apps: apps, addresses: addresses).add(
            to: uploads.group()
                .add(middleware: Authentication(authenticator: authenticator, apps: apps, limits: requestLimits))
                .group(context: CallerContext.self)
                .add(middleware: pace())
        )
    }

    private var allowance: AddressAllowance { AddressAllowance(limits: requestLimits) }

    private func pace<Context: RequestContext>() -> UploadPace<Context> {
        UploadPace(speed: bodies.limits.uploadSpeed)
    }

    private var all: [AppServices] { order.compactMap { apps[$0] } }
}
