internal import Domain
internal import HTTPTypes
package import HummingbirdCore

extension Request {
    /// Whether a request of the API can change something, so that a caller who only reads must not send it.
    ///
    /// CQL changes objects by `GET`, and a log-in begins a session by `GET`. A statement that cannot be parsed changes
    /// nothing. The signed URL of a file counts as a change: with it others get the bytes for years.
    package var isChange: Bool {
        let segments = segments.dropFirst().map(String.init)
        guard [.get, .head].contains(method) else { return true }
        switch segments.first {
        case "login": return true
        case "cloudQuery":
            guard let statement = try? ObjectParameters(self).statement else { return false }
            if case .select = statement { return false }
            return true
        default: return false
        }
    }

    /// Whether the answer to a request of the API has a key, by which a caller who only reads could change something.
    package var showsKey: Bool {
        segments.dropFirst().elementsEqual(["app"])
    }
}
