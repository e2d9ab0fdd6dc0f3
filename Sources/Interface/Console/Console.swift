package import Domain
package import HTTPAPI
internal import HTTPTypes
package import Hummingbird
package import HummingbirdCore

/// The console: a site for owners, its log-in, and the API for it (docs/console.md).
package struct Console: MountedRoutes {
    private let services: [AppID: ConsoleService]
    private let authenticator: Authenticator
    private let gate: ConsoleGate

    /// - Parameters:
    ///   - services: The sessions of each app.
    ///   - authenticator: Has the keys of the same apps.
    ///   - options: Who gets the console.
    package init(services: [AppID: ConsoleService], authenticator: Authenticator, options: ConsoleOptions) {
        self.services = services
        self.authenticator = authenticator
        gate = ConsoleGate(options: options)
    }

    /// Whether the console answers a request: files whose keys begin with `console/` stay reachable beside it.
    package func serve(_ request: Request, _ context: APIContext) -> Bool {
        let path = request.uri.path
        guard path.hasPrefix("/console") else { return false }
        let isOwn =
            path == "/console" || path == "/console/session" || path.hasPrefix("\(APICalls.prefix)/")
            || SitePages.file(at: path) != nil
        return isOwn && gate.admits(request, context)
    }

    /// Adds the routes.
    package func add(pages: RouterGroup<APIContext>, calls: RouterGroup<APIContext>, api: MountedAPI) {
        let sessions = SessionRoutes(services: services, authenticator: authenticator, gate: gate)
        pages.get("console/session", use: sessions.show)
        pages.post("console/session", use: sessions.logIn)
        pages.delete("console/session", use: sessions.logOut)
        let site = SitePages(gate.options)
        for path in ["console", "console/**"] {
            pages.get(RouterPath(path), use: site.respond)
            pages.head(RouterPath(path), use: site.respond)
        }
        let passing = APICalls(sessions: sessions, authenticator: authenticator, api: api)
        for method in APICalls.methods { calls.on("console/api/**", method: method, use: passing.respond) }
    }
}
