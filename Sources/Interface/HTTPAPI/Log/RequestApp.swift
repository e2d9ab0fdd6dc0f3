internal import Domain
internal import Synchronization

/// The app of a request, for the log: the authentication or the route that finds it notes it.
///
/// The log's middleware cannot see it in the context of a route, which is a copy of its own.
final class RequestApp: Sendable {
    private let found = Mutex<AppID?>(nil)

    /// The noted app; `nil` before one is found.
    var id: AppID? { found.withLock { $0 } }

    /// Notes the app.
    func note(_ app: AppID) {
        found.withLock { $0 = app }
    }
}
