internal import CoreMetrics
internal import Domain
internal import Logging
internal import NIOCore

/// Records hot downloads in the metrics and in the log as the middlewares record all other requests: the same series,
/// the same line.
struct HotDownloadLog: Sendable {
    /// Receives failures.
    let logger: Logger
    /// The proxies that name the clients of requests.
    var proxies = TrustedProxies()
    /// Receives each request; `nil` if no request is logged.
    var sink: RequestSink?

    /// A request from its arrival to the end of its response.
    struct Entry {
        /// The request's id, as in `X-Request-Id`.
        let id: HotRequestID
        fileprivate let start: NIODeadline
        fileprivate let isHead: Bool
        fileprivate let isUnchanged: Bool
        fileprivate let path: String
        fileprivate let app: AppID?
        fileprivate let bytes: Int64
        fileprivate let client: RequestClient
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
        from peer: SocketAddress?
    ) -> Entry {
        let entry = Entry(
            id: HotRequestID(),
            start: time,
            isHead: request.isHead,
            isUnchanged: isUnchanged,
            path: download.path,
            app: download.app,
            bytes: request.isHead || isUnchanged ? 0 : download.size,
            client: peer.map { client(behind: $0, request.forwarded) } ?? .unknown
        )
        HotDownloadLog.series(of: entry).active.increment()
        return entry
    }

    private func client(behind peer: SocketAddress, _ lines: [String]) -> RequestClient {
        proxies.networks.isEmpty ? .peer(peer) : .named(in: lines, by: peer, proxies)
    }

    /// Records that a response is sent, or that its connection is closed before.
    func end(_ entry: Entry, at time: NIODeadline, isComplete: Bool) {
        let series = HotDownloadLog.series(of: entry)
        let elapsed = time - entry.start
        series.active.decrement()
        series.count.increment()
        series.duration.recordNanoseconds(elapsed.nanoseconds)
        HotDownloadLog.all.increment()
        guard let sink else { return }
        sink(
            RequestRecord(
                time: .now(),
                id: entry.id,
                app: entry.app,
                client: entry.client,
                method: entry.isHead ? "HEAD" : "GET",
                path: entry.path,
                route: HotDownloadLog.route,
                status: entry.isUnchanged ? 304 : 200,
                bytes: isComplete ? entry.bytes : nil,
                duration: .nanoseconds(elapsed.nanoseconds),
                isComplete: isComplete
            )
        )
    }

    /// The route whose downloads become hot.
    static let route = "/**"

    /// The series of `MetricsMiddleware` for one method and status of the route of downloads.
    private struct Series {
        let count: Counter
        let duration: CoreMetrics.Timer
        let active: Meter

        init(method: String, status: String) {
            let dimensions = [
                ("http.route", HotDownloadLog.route), ("http.request.method", method),
                ("http.response.status_code", status),
            ]
            count = Counter(label: "hb.requests", dimensions: dimensions)
            duration = Timer(
                label: "http.server.request.duration",
                dimensions: dimensions,
                preferredDisplayUnit: .seconds
            )
            active = Meter(label: "http.server.active_requests", dimensions: [("http.request.method", method)])
        }
    }

    // Static, because they exist only once in the process, and are created after the metrics' backend.
    private static let get = Series(method: "GET", status: "200")
    private static let head = Series(method: "HEAD", status: "200")
    private static let getUnchanged = Series(method: "GET", status: "304")
    private static let headUnchanged = Series(method: "HEAD", status: "304")
    private static let all = Counter(label: "lcfile_hot_downloads_total")

    private static func series(of entry: Entry) -> Series {
        switch (entry.isHead, entry.isUnchanged) {
        case (false, false): get
        case (true, false): head
        case (false, true): getUnchanged
        case (true, true): headUnchanged
        }
    }
}
