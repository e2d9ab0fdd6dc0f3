internal import CoreMetrics
internal import Logging
internal import NIOCore

/// Records hot downloads in the metrics and in the log as the middlewares record all other requests: the same series,
/// the same line.
struct HotDownloadLog: Sendable {
    let logger: Logger

    /// A request from its arrival to the end of its response.
    struct Entry {
        /// The request's id, as in `X-Request-Id`.
        let id: HotRequestID
        fileprivate let start: NIODeadline
        fileprivate let isHead: Bool
        fileprivate let isUnchanged: Bool
        fileprivate let path: String
    }

    /// Records that a request arrived.
    func begin(at time: NIODeadline, isHead: Bool, isUnchanged: Bool, path: String) -> Entry {
        let entry = Entry(
            id: HotRequestID(),
            start: time,
            isHead: isHead,
            isUnchanged: isUnchanged,
            path: path
        )
        HotDownloadLog.series(of: entry).active.increment()
        return entry
    }

    /// Records that a response is sent, or that its connection is closed.
    func end(_ entry: Entry, at time: NIODeadline) {
        let series = HotDownloadLog.series(of: entry)
        let elapsed = time - entry.start
        series.active.decrement()
        series.count.increment()
        series.duration.recordNanoseconds(elapsed.nanoseconds)
        HotDownloadLog.all.increment()
        guard logger.logLevel <= .info else { return }
        logger.info(
            "Request",
            metadata: [
                "hb.request.id": "\(entry.id)",
                "method": entry.isHead ? "HEAD" : "GET",
                "path": "\(entry.path)",
                "status": entry.isUnchanged ? "304" : "200",
                "ms": "\(elapsed.nanoseconds / 1_000_000)",
            ]
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
