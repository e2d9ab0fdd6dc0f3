internal import Domain
internal import Synchronization

/// What routes find out about a request, for the log and for the list of failed requests.
///
/// The middleware of the log cannot see it in the context of a route, which is a copy of its own.
final class RequestNotes: Sendable {
    private let found = Mutex<(app: AppID?, message: String?)>((nil, nil))

    /// The app of the request; `nil` before the authentication or the route that finds it.
    var app: AppID? { found.withLock { $0.app } }

    /// The message of the refusal; `nil` if the request is not refused.
    var message: String? { found.withLock { $0.message } }

    /// Notes the app.
    func note(_ app: AppID) {
        found.withLock { $0.app = app }
    }

    /// Notes the message of the refusal that the client gets.
    func note(message: String) {
        found.withLock { $0.message = message }
    }
}
