internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/server`: the state of the server, for the master key (docs/http-api.md).
struct ServerRoutes: Sendable {
    let apps: [AppID: AppServices]
    let monitor: any ServerMonitor

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("server", use: state)
        callers.get("server/history", use: history)
        callers.get("server/failures", use: failures)
        callers.get("server/settings", use: settings)
        callers.get("server/notes", use: notes)
    }

    @Sendable private func state(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        // The figures are read from files. The request can have begun on an event loop; a child task begins on the
        // cooperative pool.
        async let state = monitor.state(of: context.caller.app)
        var members = await state.json
        members["hasMirror"] = .bool(try apps.services(of: context.caller).mirror != nil)
        if monitor.isOpen { members["machine"] = monitor.machine.json }
        return JSONValue.object(members).response()
    }

    @Sendable private func history(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireOpen(context.caller)
        let samples = monitor.history.samples(after: try time(ObjectParameters(request).text("after")))
        let series = HistorySeries.allCases.enumerated().map { index, series in
            (series.rawValue, JSONValue.array(samples.map { $0.values[index].map(JSONValue.number) ?? .null }))
        }
        return JSONValue.object([
            "interval": .integer(Int64(ServerHistory.interval)),
            "times": .array(samples.map { .integer($0.time.milliseconds) }),
            "series": .object(Dictionary(uniqueKeysWithValues: series)),
        ])
        .response()
    }

    @Sendable private func failures(_ request: Request, _ context: CallerContext) async throws -> Response {
        let lists = try apps.services(of: context.caller).failures.lists(as: context.caller)
        return JSONValue.object([
            "failed": .array(lists.failed.map(\.json)), "refused": .array(lists.refused.map(\.json)),
        ])
        .response()
    }

    @Sendable private func settings(_ request: Request, _ context: CallerContext) async throws -> Response {
        try requireOpen(context.caller)
        let settings = monitor.settings(of: context.caller.app)
        return JSONValue.object([
            "server": .array(settings.server.map(\.json)), "app": .array(settings.app.map(\.json)),
        ])
        .response()
    }

    @Sendable private func notes(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        return JSONValue.object(["notes": .string(monitor.releaseNotes)]).response()
    }

    /// Refuses callers who must not see what concerns the whole server.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/forbidden``.
    private func requireOpen(_ caller: Caller) throws {
        try caller.requireMasterKey()
        guard monitor.isOpen else {
            throw ServiceError(
                .forbidden,
                "The operator does not show the figures and settings of the server to the owners of apps "
                    + "(metrics.masterKey)."
            )
        }
    }

    private func time(_ text: String?) throws -> Timestamp? {
        guard let text else { return nil }
        guard let milliseconds = Int64(text) else {
            throw ServiceError(.badRequest, "after must be one of the times of an earlier answer.")
        }
        return Timestamp(milliseconds: milliseconds)
    }
}
