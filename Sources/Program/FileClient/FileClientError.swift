internal import FoundationEssentials

/// The error of a failed call.
public struct FileClientError: Error, Sendable, CustomStringConvertible {
    /// The kinds of errors that callers distinguish.
    public enum Kind: Sendable, Hashable {
        /// No connection to the server was made; the server has not seen the request.
        case unreachable
        /// The connection ended, or became too slow, before the response was complete.
        case interrupted
        /// The server answered with another status than 2xx.
        case refused
        /// The response does not come from an lcfile server.
        case unexpectedAnswer
        /// The received bytes are not those of the file.
        case damaged
        /// An argument or a local file cannot be used.
        case local
        /// A local file has bytes but reports size 0, like files in /proc.
        case unsized
    }

    /// The kind of error.
    public let kind: Kind
    /// The HTTP status; 0 without a response.
    public let status: Int
    /// LeanCloud's error code in the response; `nil` without one.
    public let code: Int?
    /// The message of the server, of libcurl or of this library.
    public let message: String
    /// The time for which the server asks to wait before the next attempt; `nil` if it names none.
    public let retryAfter: Duration?
    /// The `Content-Range` of a 416.
    let contentRange: String?
    /// The `X-Server-Id` of a server that is not ready.
    let serverID: String?

    /// The message, with the status if there is one.
    public var description: String {
        status == 0 ? message : "\(message) (HTTP \(status))"
    }

    /// Whether other calls would fail for the same reason: the server cannot be reached, refuses the credentials, is
    /// overloaded, fails, or its disk is full.
    public var isAboutServer: Bool {
        switch kind {
        case .unreachable, .interrupted: true
        // 507 is the server's full disk: every other file is refused too.
        case .refused: status == 401 || status == 429 || status >= 500
        case .unexpectedAnswer, .damaged, .local, .unsized: false
        }
    }

    init(_ kind: Kind, status: Int = 0, code: Int? = nil, _ message: String) {
        self.kind = kind
        self.status = status
        self.message = message
        self.code = code
        retryAfter = nil
        contentRange = nil
        serverID = nil
    }

    /// The error in a response with another status than 2xx.
    init(_ response: Response) {
        struct Refusal: Decodable {
            let code: Int?
            let error: String
        }
        let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(response.body))
        kind = .refused
        status = response.status
        code = refusal?.code
        message =
            FileClientError.redirect(of: response) ?? refusal?.error ?? FileClientError.message(for: response.status)
        contentRange = response.headers["content-range"]
        serverID = response.headers["x-server-id"]
        retryAfter = response.headers["retry-after"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    }

    /// The message for a redirect to another server; `nil` for other responses.
    private static func redirect(of response: Response) -> String? {
        guard (300..<400).contains(response.status), let location = response.headers["location"] else { return nil }
        // The path and the query are those of one request.
        let parts = location.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty else { return nil }
        return "the server redirects to \(parts[..<3].joined(separator: "/")); set that URL as the server (--server)"
    }

    /// A message for a response without one, such as that to a HEAD.
    private static func message(for status: Int) -> String {
        switch status {
        case 401: "the server does not accept the app's id or key"
        case 403: "the server does not allow this"
        case 404: "the server has no such file or path"
        case 413: "the file is larger than the server allows"
        case 429: "the server has too much to do"
        case 507: "the server's disk is full"
        default: "the server refused"
        }
    }
}
