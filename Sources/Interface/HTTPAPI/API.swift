package import Domain
package import Hummingbird
internal import NIOCore

/// The whole HTTP interface: the handler of each path, and the order of the middleware.
package struct API: Sendable {
    private let apps: [AppID: AppServices]
    private let order: [AppID]
    private let authenticator: Authenticator
    private let addresses: UploadAddresses
    private let providers: ProviderChoice
    private let bodies: RequestBodies
    private let health: StorageHealth

    /// - Parameters:
    ///   - apps: The apps of this server; a key is looked up in them in this order.
    ///   - authenticator: Knows the keys of the same apps.
    ///   - publicURL: What clients reach the API under, without a slash at its end.
    ///   - limits: Limits of the wire.
    ///   - providers: The upload dialect that each SDK is told to use.
    ///   - largeBodies: Where requests with large JSON bodies are worked on; nil means where all others are.
    ///   - health: What `/health` answers with.
    package init(
        apps: [AppServices],
        authenticator: Authenticator,
        publicURL: String,
        limits: WireLimits = WireLimits(),
        providers: ProviderChoice = ProviderChoice(),
        largeBodies: (any TaskExecutor)? = nil,
        health: StorageHealth = StorageHealth()
    ) {
        self.health = health
        bodies = RequestBodies(limits: limits, threads: largeBodies)
        self.apps = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) })
        order = apps.map(\.id)
        self.authenticator = authenticator
        addresses = UploadAddresses(publicURL: publicURL)
        self.providers = providers
    }

    /// Builds what answers requests; call it once.
    package func responder() -> some HTTPResponder<APIContext> {
        let router = Router(context: APIContext.self)
        router.add(middleware: MetricsMiddleware())
        router.add(middleware: RequestLog())
        router.add(middleware: UploadCORS())
        router.add(middleware: CORSMiddleware.api)
        router.add(middleware: ErrorRenderer())
        router.add(middleware: ContinueMiddleware())
        HealthRoute(health: health).add(to: router)
        for version in ["1.1", "1"] {
            // Python's SDK asks for the time before it signs anything (protocol/data 1.2).
            router.get("\(version)/date") { _, _ in JSONValue.date(.now()).response() }
            let callers = router.group("\(version)")
                .add(middleware: Authentication(authenticator: authenticator, apps: apps))
                .group(context: CallerContext.self)
            UploadRoutes(apps: apps, bodies: bodies).add(to: callers)
            TokenRoutes(apps: apps, bodies: bodies, addresses: addresses, providers: providers).add(to: callers)
            addUploads(to: router, version)
            ContentRoutes(apps: all, authenticator: authenticator).add(to: router.group("\(version)"))
            ObjectRoutes(apps: apps, bodies: bodies).add(to: callers)
            BatchRoutes(apps: apps, bodies: bodies).add(to: callers)
            SchemaRoutes(apps: apps, bodies: bodies).add(to: callers)
            AccountRoutes(apps: apps, bodies: bodies).add(to: callers)
            PermissionRoutes(apps: apps, bodies: bodies).add(to: callers)
        }
        DownloadRoutes(apps: all).add(to: router)
        return TunnelResponder(base: router.buildResponder(), bodies: bodies)
    }

    /// What needs no app key, because an upload's address is the key, and tus, which needs both.
    private func addUploads(to router: Router<APIContext>, _ version: String) {
        UploadAddressRoutes(apps: all, bodies: bodies, addresses: addresses)
            .add(to: router.group("\(version)/upload").add(middleware: UploadErrors()))
        let tus = TusMiddleware(largest: all.map(\.uploads.limits.fileSize).max() ?? 0)
        let uploads = router.group("\(version)/uploads").add(middleware: tus)
        uploads.on("", method: .options, use: tus.options)
        uploads.on(":token", method: .options, use: tus.options)
        ProgressRoutes(apps: all).add(to: uploads)
        TusRoutes(apps: apps, addresses: addresses).add(
            to: uploads.group()
                .add(middleware: Authentication(authenticator: authenticator, apps: apps))
                .group(context: CallerContext.self)
        )
    }

    private var all: [AppServices] { order.compactMap { apps[$0] } }
}
