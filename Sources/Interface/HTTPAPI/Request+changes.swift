internal import Domain
internal import HTTPTypes
package import HummingbirdCore

extension Request {
    /// Whether a request of the API can change something, so that a caller who only reads must not send it.
    ///
    /// CQL changes objects by `GET`, a log-in begins a session by `GET`, and the signed URL of a file is read by `POST`. A
    /// statement that cannot be parsed changes nothing.
    package var isChange: Bool {
        let segments = segments.dropFirst().map(String.init)
        guard [.get, .head].contains(method) else {
            return !(method == .post && segments.count == 3 && segments[0] == "files" && segments[2] == "url")
        }
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
