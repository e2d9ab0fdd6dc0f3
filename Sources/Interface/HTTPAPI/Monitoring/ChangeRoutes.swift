internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `GET /changes`: the changes of the app's objects as they happen, for the master key (docs/http-api.md).
///
/// It answers at once or waits for a change. A stream of events would go on after the end of the session by which the
/// console calls it; each of these calls is authenticated anew.
struct ChangeRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("changes", use: changes)
    }

    @Sendable private func changes(_ request: Request, _ context: CallerContext) async throws -> Response {
        let caller = context.caller
        try caller.requireMasterKey()
        let changes = try apps.services(of: caller).recentChanges
        let parameters = try ObjectParameters(request)
        let cursor = try cursor(parameters.text("cursor"))
        let classes = try classes(parameters.text("classes"))
        let wait = try wait(parameters.text("wait"))
        let page = try await ClientPresence.required(on: context.channel) {
            try await changes.changes(after: cursor, in: classes, waiting: wait, as: caller)
        }
        return JSONValue.object([
            "results": .array(page.entries.map(\.json)),
            "cursor": .string(page.cursor.description),
            "missed": .bool(page.hasMissed),
        ])
        .response()
    }

    private func cursor(_ text: String?) throws -> RecentChanges.Cursor? {
        guard let text else { return nil }
        guard let cursor = RecentChanges.Cursor(text) else {
            throw ServiceError(.badRequest, "cursor must come from an earlier answer.")
        }
        return cursor
    }

    private func classes(_ text: String?) throws -> Set<ClassName>? {
        guard let text else { return nil }
        return Set(try text.split(separator: ",").map { try ClassName($0) })
    }

    private func wait(_ text: String?) throws -> Duration {
        guard let text else { return .zero }
        let most = Int(RecentChanges.longestWait / .seconds(1))
        guard let seconds = Int(text), (0...most).contains(seconds) else {
            throw ServiceError(.badRequest, "wait must be a number of seconds from 0 to \(most).")
        }
        return .seconds(seconds)
    }
}

extension RecentChanges.Entry {
    /// An element of the answer.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "className": .string(className.description), "objectId": .string(id.description),
            "operation": .string("\(kind)"), "time": .string(time.iso8601), "by": .string(actor),
        ]
        members["user"] = caller?.user.map { .string($0.id.description) }
        return .object(members)
    }

    private var actor: String {
        guard let caller else { return "server" }
        if caller.isMaster { return "master" }
        return caller.user == nil ? "guest" : "user"
    }
}
