package import Domain
package import Hummingbird
internal import NIOCore

/// The whole HTTP interface: which path is answered by whom, and in what order a request is treated before.
package struct API: Sendable {
    private let apps: [AppID: AppServices]
    private let order: [AppID]
    private let authenticator: Authenticator
    private let limits: WireLimits

    /// - Parameters:
    ///   - apps: The apps of this server; a key is looked up in them in this order.
    ///   - authenticator: Knows the keys of the same apps.
    ///   - limits: Limits of the wire.
    package init(apps: [AppServices], authenticator: Authenticator, limits: WireLimits = WireLimits()) {
        self.apps = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) })
        order = apps.map(\.id)
        self.authenticator = authenticator
        self.limits = limits
    }

    /// Builds what answers requests; call it once.
    package func responder() -> some HTTPResponder<APIContext> {
        let router = Router(context: APIContext.self)
        router.add(middleware: MetricsMiddleware())
        router.add(middleware: RequestLog())
        router.add(middleware: CORSMiddleware.api)
        router.add(middleware: ErrorRenderer())
        router.add(middleware: ContinueMiddleware())
        router.get("health") { _, _ in JSONValue.object(["status": .string("ok")]).response() }
        for version in ["1.1", "1"] {
            // Python's SDK asks for the time before it signs anything (data-protocol 1.2).
            router.get("\(version)/date") { _, _ in JSONValue.date(.now()).response() }
            let callers = router.group("\(version)")
                .add(middleware: Authentication(authenticator: authenticator, apps: apps))
                .group(context: CallerContext.self)
            UploadRoutes(apps: apps, limits: limits).add(to: callers)
            ObjectRoutes(apps: apps, limits: limits).add(to: callers)
            BatchRoutes(apps: apps, limits: limits).add(to: callers)
            SchemaRoutes(apps: apps, limits: limits).add(to: callers)
            AccountRoutes(apps: apps, limits: limits).add(to: callers)
            PermissionRoutes(apps: apps, limits: limits).add(to: callers)
        }
        DownloadRoutes(apps: order.compactMap { apps[$0] }).add(to: router)
        return TunnelResponder(base: router.buildResponder(), limit: limits.jsonSize)
    }
}
