internal import HTTPTypes
internal import NIOHTTP1

/// Measures the requests of a connection that have no whole response, in the order of their responses (RFC 9112 section
/// 9.3.2).
struct PipelinedRequests {
    private let metrics: RequestMetrics
    private var requests: [MeasuredRequest] = []
    /// The last request that was passed on, whose body can be arriving.
    private var arriving: MeasuredRequest?

    init(_ metrics: RequestMetrics) {
        self.metrics = metrics
    }

    /// Adds a request that begins now.
    mutating func begin(_ head: HTTPRequestHead) {
        let request = metrics.begin(head)
        requests.append(request)
        arriving = request
    }

    /// Adds a request without a body that begins now.
    mutating func begin(_ head: HTTPRequest) {
        requests.append(metrics.begin(head))
        arriving = nil
    }

    /// Measures a request that gets no route; it is added when its response is written.
    ///
    /// - Parameter head: Its head; `nil` for bytes that are no request.
    /// - Returns: The request.
    func measure(_ head: HTTPRequestHead?) -> MeasuredRequest {
        head.map(metrics.begin) ?? metrics.begin(.malformed, .other)
    }

    /// Adds a request that began earlier.
    mutating func append(_ request: MeasuredRequest) {
        requests.append(request)
    }

    /// Counts bytes of the body that arrives.
    func received(_ bytes: Int) {
        if let arriving { metrics.received(bytes, of: arriving) }
    }

    /// Counts bytes of the body of the current response.
    func sent(_ bytes: Int) {
        if let request = requests.first { metrics.sent(bytes, of: request) }
    }

    /// Notes the status of the current response.
    mutating func respond(status: Int) {
        if !requests.isEmpty { requests[0].status = status }
    }

    /// Counts the first request; it has its whole response now.
    mutating func end(status: Int? = nil) {
        guard !requests.isEmpty else { return }
        var request = requests.removeFirst()
        if let status { request.status = status }
        metrics.end(request)
    }

    /// Counts all requests, whose responses a closed connection cuts off.
    mutating func cutOff() {
        for request in requests { cutOff(request) }
        requests = []
    }

    /// Counts a request whose response a closed connection cuts off.
    func cutOff(_ request: MeasuredRequest) {
        metrics.end(request, isCutOff: true)
    }
}
