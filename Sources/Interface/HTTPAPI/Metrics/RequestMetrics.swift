package import Domain
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Counts the requests of all connections, from the refused handshake to the hot download; thread-safe, without a lock.
///
/// Its size is fixed: nothing that a client sends makes a further series.
package final class RequestMetrics: Sendable {
    private static let groups = RequestGroup.allCases.count
    private static let methods = RequestMethod.allCases.count

    // The sizes are literals, because Swift computes no values in types; tests compare them.
    /// Requests by group, method and status.
    private let requests = InlineArray<4416, Atomic<Int>> { _ in Atomic(0) }
    /// Requests by dialect of uploads and ``UploadResult``.
    private let uploadResults = InlineArray<32, Atomic<Int>> { _ in Atomic(0) }
    private let durations = RequestGroup.allCases.map { _ in DurationHistogram() }
    private let bytesIn = RequestGroup.allCases.map { _ in EventCount() }
    private let bytesOut = RequestGroup.allCases.map { _ in EventCount() }
    private let cutOff = RequestGroup.allCases.map { _ in EventCount() }
    private let uploadBytes = UploadDialect.allCases.map { _ in EventCount() }
    private let hot = EventCount()
    private let begun = EventCount()
    private let ended = EventCount()
    private let isStyled: @Sendable (String) -> Bool

    /// Creates counts of 0.
    ///
    /// - Parameter isStyled: Whether a path ends with the name of a style, and therefore requests an image.
    package init(isStyled: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.isStyled = isStyled
    }

    // MARK: Counting

    /// Begins to count a request that was accepted; ``end(_:isCutOff:at:)`` must follow.
    func begin(_ head: HTTPRequestHead) -> MeasuredRequest {
        begin(head.uri, RequestMethod(head.method)) { head.headers.first(name: $0.rawName) }
    }

    /// Begins to count a request of HTTP/2; ``end(_:isCutOff:at:)`` must follow.
    func begin(_ head: HTTPRequest) -> MeasuredRequest {
        begin(head.path ?? "", RequestMethod(HTTPMethod(rawValue: head.method.rawValue))) { head.headerFields[$0] }
    }

    private func begin(
        _ target: String,
        _ method: RequestMethod,
        _ field: (HTTPField.Name) -> String?
    ) -> MeasuredRequest {
        let group = RequestGroup(target: target, method, isStyled: isStyled)
        return begin(group, method, group == .uploads ? UploadDialect(target: target, method, field) : nil)
    }

    /// Begins to count a request of a known group.
    func begin(
        _ group: RequestGroup,
        _ method: RequestMethod,
        _ dialect: UploadDialect? = nil,
        at time: NIODeadline = .now()
    ) -> MeasuredRequest {
        begun.add()
        return MeasuredRequest(group: group, method: method, dialect: dialect, start: time)
    }

    /// Counts bytes of a request's body.
    func received(_ bytes: Int, of request: MeasuredRequest) {
        bytesIn[request.group.rawValue].add(bytes)
        if let dialect = request.dialect { uploadBytes[dialect.rawValue].add(bytes) }
    }

    /// Counts bytes of a response's body.
    func sent(_ bytes: Int, of request: MeasuredRequest) {
        bytesOut[request.group.rawValue].add(bytes)
    }

    /// Counts a request with its status.
    ///
    /// - Parameters:
    ///   - request: The request; without a status its client left before the response.
    ///   - isCutOff: Whether the connection ended before the end of the response.
    ///   - time: The time of the end.
    func end(_ request: MeasuredRequest, isCutOff: Bool = false, at time: NIODeadline = .now()) {
        let status = request.status ?? RequestStatus.clientClosed
        let group = request.group.rawValue
        requests[RequestMetrics.index(request.group, request.method, RequestStatus.index(of: status))]
            .wrappingAdd(1, ordering: .relaxed)
        durations[group].record(nanoseconds: (time - request.start).nanoseconds)
        if isCutOff { cutOff[group].add() }
        if let dialect = request.dialect {
            let result = UploadResult(status: status, isCutOff: isCutOff)
            uploadResults[dialect.rawValue * UploadResult.allCases.count + result.rawValue]
                .wrappingAdd(1, ordering: .relaxed)
        }
        ended.add()
    }

    /// Counts a hot download, also counted by ``end(_:isCutOff:at:)``.
    func countHot() { hot.add() }

    private static func index(_ group: RequestGroup, _ method: RequestMethod, _ status: Int) -> Int {
        (group.rawValue * methods + method.rawValue) * (RequestStatus.known.count + 1) + status
    }
}

extension RequestMetrics {
    /// The number of requests with one method and status.
    package struct Count: Sendable, Equatable {
        /// The group of the requests.
        package let group: RequestGroup
        /// Their method.
        package let method: RequestMethod
        /// Their status; `nil` for statuses that the server does not know.
        package let status: Int?
        /// Their number, 1 or more.
        package let value: Int
    }

    /// The counts that are not 0.
    package var counts: [Count] {
        RequestGroup.allCases.flatMap { group in
            RequestMethod.allCases.flatMap { method in
                (0...RequestStatus.known.count).compactMap { status in
                    let value = requests[RequestMetrics.index(group, method, status)].load(ordering: .relaxed)
                    guard value > 0 else { return nil }
                    let known = status < RequestStatus.known.count ? RequestStatus.known[status] : nil
                    return Count(group: group, method: method, status: known, value: value)
                }
            }
        }
    }

    /// The number of requests of uploads with one result.
    package func uploads(_ dialect: UploadDialect, _ result: UploadResult) -> Int {
        uploadResults[dialect.rawValue * UploadResult.allCases.count + result.rawValue].load(ordering: .relaxed)
    }

    /// The bytes that clients sent in a dialect of uploads.
    package func uploadedBytes(_ dialect: UploadDialect) -> Int { uploadBytes[dialect.rawValue].value }

    /// The durations of a group's requests, from the arrival of the head to the end of the response.
    package func durations(of group: RequestGroup) -> DurationHistogram.Snapshot { durations[group.rawValue].snapshot }

    /// The bytes of bodies that a group's requests had, and those of its responses.
    package func bytes(of group: RequestGroup) -> (received: Int, sent: Int) {
        (bytesIn[group.rawValue].value, bytesOut[group.rawValue].value)
    }

    /// The number of a group's requests whose connection ended before the end of the response.
    package func cutOff(of group: RequestGroup) -> Int { cutOff[group.rawValue].value }

    /// The number of requests that have no whole response yet.
    package var inProgress: Int {
        // In this order it is never negative.
        let ended = ended.value
        return begun.value - ended
    }

    /// The number of hot downloads.
    package var hotDownloads: Int { hot.value }
}

/// A request from its arrival to the end of its response.
struct MeasuredRequest: Sendable {
    let group: RequestGroup
    let method: RequestMethod
    let dialect: UploadDialect?
    let start: NIODeadline
    /// The status of the response; `nil` before it.
    var status: Int?
}

/// How a request of an upload ended.
package enum UploadResult: Int, Sendable, CaseIterable {
    /// With a success.
    case accepted
    /// With a status from 400 to 499.
    case refused
    /// With any other status.
    case failed
    /// Before the client had the response.
    case cutOff

    /// The value of the label.
    package var label: String { self == .cutOff ? "cut_off" : "\(self)" }

    init(status: Int, isCutOff: Bool) {
        switch status {
        case _ where isCutOff: self = .cutOff
        case 200..<400: self = .accepted
        case 400..<500: self = .refused
        default: self = .failed
        }
    }
}
