internal import FoundationEssentials
internal import Synchronization

/// A client of an lcfile server for one app.
///
/// Calls can come from any task and run at the same time, up to ``FileClientOptions/connections``. Transfers block
/// threads of the client, never those of the caller. A cancelled task stops its transfer within a second and throws
/// `CancellationError`. Copies share threads, connections and the bandwidth limit.
public struct FileClient: Sendable {
    /// The server's URL, without a slash at the end.
    public let server: String
    /// The app's id; empty for a client without credentials.
    public let appID: String
    /// The options with which the client was created.
    public let options: FileClientOptions
    let headers: [String]
    let threads: TransferThreads
    let bandwidth: RateLimit?
    let rate: RateLimit?
    let contact = Contact()

    /// Creates a client; sends no request.
    ///
    /// - Parameters:
    ///   - server: The server's URL: `http://127.0.0.1:8080`.
    ///   - appID: The app's id.
    ///   - appKey: The app's key, or `<master key>,master`.
    ///   - options: How the client transfers.
    public init(server: String, appID: String, appKey: String, options: FileClientOptions = FileClientOptions()) {
        let headers = ["X-LC-Id: \(appID)", "X-LC-Key: \(appKey)"]
        self.init(server: server, appID: appID, headers: headers, options: options)
    }

    private init(server: String, appID: String, headers: [String], options: FileClientOptions) {
        var server = server
        while server.hasSuffix("/") { server.removeLast() }
        self.server = server
        self.appID = appID
        self.headers = headers
        self.options = options
        threads = TransferThreads(count: options.connections)
        bandwidth = options.bandwidth.map { RateLimit(perSecond: $0) }
        rate = options.requestsPerSecond.map { RateLimit(perSecond: $0) }
    }

    /// Checks the health of a server and its storage; needs no credentials, and is not repeated.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - onlyLife: Checks only whether the server responds.
    ///   - verifiesCertificate: Whether the certificate must be for this URL. It is not if the URL is the loopback
    ///     address of a server with another name.
    /// - Throws: ``FileClientError`` with the server's message if it reports a fault, with status 0 if it does not
    ///   respond.
    public static func checkHealth(
        of server: String,
        onlyLife: Bool = false,
        verifiesCertificate: Bool = true
    ) async throws {
        try await check(onlyLife ? "/health?live" : "/health", of: server, verifiesCertificate)
    }

    /// Checks whether a server can do all of its work; needs no credentials, and is not repeated.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - verifiesCertificate: Whether the certificate must be for this URL.
    /// - Throws: ``FileClientError`` with the server's reasons if it is not ready, with status 0 if it does not
    ///   respond.
    public static func checkReadiness(of server: String, verifiesCertificate: Bool = true) async throws {
        try await check("/ready", of: server, verifiesCertificate)
    }

    /// Requests whether a server can do all of its work, and its id; needs no credentials, and is not repeated.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - verifiesCertificate: Whether the certificate must be for this URL.
    /// - Returns: The answer, also of a server that is not ready.
    /// - Throws: ``FileClientError`` with status 0 if the server does not respond.
    public static func readiness(
        of server: String,
        verifiesCertificate: Bool = true
    ) async throws -> ServerReadiness {
        do {
            let response = try await check("/ready", of: server, verifiesCertificate)
            return ServerReadiness(obstacle: nil, serverID: response.headers["x-server-id"])
        } catch let error as FileClientError where error.status != 0 {
            return ServerReadiness(obstacle: error, serverID: error.serverID)
        }
    }

    /// Reads the metrics of a server in Prometheus' text format; needs no credentials, and is not repeated.
    ///
    /// - Parameter url: The URL of the metrics, which have an address of their own.
    /// - Returns: The text.
    /// - Throws: ``FileClientError`` if they cannot be read.
    public static func metrics(at url: String) async throws -> String {
        String(decoding: try await get(url, true).body, as: UTF8.self)
    }

    @discardableResult
    private static func check(
        _ path: String,
        of server: String,
        _ verifiesCertificate: Bool
    ) async throws -> Response {
        var server = server
        while server.hasSuffix("/") { server.removeLast() }
        return try await get(server + path, verifiesCertificate)
    }

    private static func get(_ url: String, _ verifiesCertificate: Bool) async throws -> Response {
        var options = FileClientOptions()
        options.retries = .none
        options.verifiesCertificates = verifiesCertificate
        return try await FileClient(server: "", appID: "", headers: [], options: options).send(Request("GET", url))
    }
}

/// The answer of a server to the question whether it can do all of its work.
public struct ServerReadiness: Sendable {
    /// The server's reasons why it is not ready; `nil` if it is.
    public let obstacle: FileClientError?
    /// The id of this start of the server, which its metrics have, too; `nil` if the answer has none, as from a server of
    /// an earlier version.
    public let serverID: String?
}

/// Whether the server has answered a request of the client.
///
/// A server that has answered and cannot be reached is being restarted, and the client waits for it. A server that has
/// never answered has probably another address, which the user wants to learn at once.
final class Contact: Sendable {
    private let answered = Atomic(false)

    var hasAnswered: Bool { answered.load(ordering: .relaxed) }

    func note() { answered.store(true, ordering: .relaxed) }
}
