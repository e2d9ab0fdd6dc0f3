internal import Domain
internal import Logging
internal import NIOCore

/// Records hot downloads in the metrics and in the log as all other requests are recorded: the same series, the same
/// line.
struct HotDownloadLog: Sendable {
    /// Counts the requests.
    let metrics: RequestMetrics
    /// Receives failures.
    let logger: Logger
    /// The proxies that name the clients of requests.
    let proxies: TrustedProxies
    /// Receives each request; `nil` if no request is logged.
    let sink: RequestSink?

    init(
        metrics: RequestMetrics = RequestMetrics(),
        logger: Logger,
        proxies: TrustedProxies = TrustedProxies(),
        sink: RequestSink? = nil
    ) {
        self.metrics = metrics
        self.logger = logger
        self.proxies = proxies
        self.sink = sink
    }

    /// A request from its arrival to the end of its response.
    struct Entry {
        /// The request's id, as in `X-Request-Id`.
        let id: HotRequestID
        fileprivate let request: MeasuredRequest
        // Not the download: its file would stay open until the client has taken a response that is sent from memory.
        fileprivate let app: AppID?
        fileprivate let path: String
        fileprivate let bytes: Int64
        /// `nil` if the request is not logged.
        fileprivate let client: RequestClient?
    }

    /// The field whose lines name the client; `nil` if no line of the log needs it.
    var forwardingField: TrustedProxies.Field? { sink == nil || proxies.networks.isEmpty ? nil : proxies.field }

    /// Records that a request arrived.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - time: When it arrived.
    ///   - download: The prepared responses to it.
    ///   - isUnchanged: Whether the response is 304.
    ///   - peer: The other end of the connection.
    /// - Returns: The entry for ``end(_:at:isComplete:)``.
    func begin(
        _ request: SimpleRequest,
        at time: NIODeadline,
        _ download: HotDownload,
        isUnchanged: Bool,
        from peer: @autoclosure () -> SocketAddress?
    ) -> Entry {
        let group = download.isImage ? RequestGroup.images : .files
        var measured = metrics.begin(group, request.isHead ? .head : .get, at: time)
        measured.status = isUnchanged ? 304 : 200
        let isLogged = sink?.isOpen() ?? false
        let bytes = request.isHead || isUnchanged ? 0 : download.size
        if bytes > 0 { metrics.sent(Int(bytes), of: measured) }
        return Entry(
            id: HotRequestID(),
            request: measured,
            app: download.app,
            path: download.path,
            bytes: bytes,
            client: isLogged ? peer().map { client(behind: $0, request.forwarded) } ?? .unknown : nil
        )
    }

    private func client(behind peer: SocketAddress, _ lines: [String]) -> RequestClient {
        proxies.networks.isEmpty ? .peer(peer) : .named(in: lines, by: peer, proxies)
    }

    /// Records that a response is sent, or that its connection is closed before.
    func end(_ entry: Entry, at time: NIODeadline, isComplete: Bool) {
        // Before the end: who sees that no request is in progress sees all their counts.
        metrics.countHot()
        metrics.end(entry.request, isCutOff: !isComplete, at: time)
        guard let sink, let client = entry.client else { return }
        sink.send(
            RequestRecord(
                time: .now(),
                id: entry.id,
                app: entry.app,
                client: client,
                method: entry.request.method.label,
                path: entry.path,
                route: HotDownloadLog.route,
                status: entry.request.status ?? 200,
                bytes: isComplete ? entry.bytes : nil,
                duration: .nanoseconds((time - entry.request.start).nanoseconds),
                isComplete: isComplete
            )
        )
    }

    /// The route whose downloads become hot.
    static let route = "/**"
}
