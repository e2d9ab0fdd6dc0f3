internal import Domain
internal import HTTPAPI
internal import HTTPTypes
internal import HummingbirdCore

extension ConsoleChange {
    /// The change that a request of the API makes; `nil` if it makes none.
    ///
    /// The pieces of an upload are no entries of the log, because its beginning is one.
    init?(_ request: Request, id: String) {
        let method = request.method
        guard request.isChange else { return nil }
        let path = request.uri.path
        let segments = path.split(separator: "/").dropFirst().map(String.init)
        if segments.first == "uploads" || segments.first == "upload", segments.count > 1, method != .delete {
            return nil
        }
        self.init(
            method: method.rawValue,
            path: path.withoutToken,
            requestID: id,
            summary: ConsoleChange.summary(method, segments)
        )
    }

    private static func summary(_ method: HTTPRequest.Method, _ segments: [String]) -> String {
        let verb =
            switch method {
            case .post: "create"
            case .delete: "delete"
            case .get: "change by"
            default: "update"
            }
        return switch (segments.first, segments.count) {
        case ("classes", 2...): "\(verb) \(target(segments.dropFirst()))"
        case ("uploads", _), ("upload", _): method == .delete ? "cancel an upload" : "upload a file"
        case ("batch", _): "change several objects"
        default: "\(verb) \(target(segments.prefix(3)).withoutToken)"
        }
    }

    /// What a request changes: of several objects their number, because the path of the entry has their ids.
    private static func target(_ segments: ArraySlice<String>) -> String {
        let count = segments.last?.split(separator: ",").count ?? 0
        guard segments.count == 2, count > 1 else { return segments.joined(separator: "/") }
        return "\(segments.prefix(1).joined()) (\(count) objects)"
    }
}
