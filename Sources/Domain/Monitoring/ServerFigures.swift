/// What the server has counted since its start, and what it measures now; the history is made of such values.
package struct ServerFigures: Sendable {
    /// All answered requests.
    package var requests = 0
    /// Those with a status from 400 to 499.
    package var refused = 0
    /// Those with a status of 500 and more.
    package var failed = 0
    /// Bytes of bodies of requests.
    package var received = 0
    /// Bytes of bodies of responses.
    package var sent = 0
    /// The durations of requests that do not wait for events.
    package var durations: DurationHistogram.Snapshot
    /// Seconds of processor time; `nil` if they are not known, as in the following figures.
    package var processorTime: Double?
    /// Resident memory in bytes.
    package var memory: Double?
    /// Open connections.
    package var connections: Double?
    /// Free space of the file system of the storage folder in bytes.
    package var freeSpace: Double?
    /// Jobs that wait in the queues of requests.
    package var waiting: Double?

    /// Creates figures with counts of 0.
    package init(durations: DurationHistogram.Snapshot) {
        self.durations = durations
    }
}

/// A series of the history.
package enum HistorySeries: String, Sendable, CaseIterable {
    /// Requests in a second.
    case requests
    /// Requests in a second that were refused: status 400 to 499.
    case refused
    /// Requests in a second that failed: status 500 and more.
    case failed
    /// The duration in seconds that half of the requests did not exceed; no value without requests.
    case median
    /// The duration in seconds that 99 of 100 requests did not exceed.
    case slow
    /// Bytes in a second in bodies of requests.
    case received
    /// Bytes in a second in bodies of responses.
    case sent
    /// Used processor cores.
    case processor
    /// Resident memory in bytes.
    case memory
    /// Open connections.
    case connections
    /// Free space in bytes.
    case freeSpace
    /// Waiting jobs.
    case waiting

    /// The value between two moments, or at the later one.
    func value(from earlier: ServerFigures, to later: ServerFigures, in seconds: Double) -> Double? {
        func rate(_ count: (ServerFigures) -> Int) -> Double {
            Double(max(0, count(later) - count(earlier))) / seconds
        }
        return switch self {
        case .requests: rate(\.requests)
        case .refused: rate(\.refused)
        case .failed: rate(\.failed)
        case .median: later.durations.since(earlier.durations).quantile(0.5)
        case .slow: later.durations.since(earlier.durations).quantile(0.99)
        case .received: rate(\.received)
        case .sent: rate(\.sent)
        case .processor: cores(from: earlier, to: later, in: seconds)
        case .memory: later.memory
        case .connections: later.connections
        case .freeSpace: later.freeSpace
        case .waiting: later.waiting
        }
    }

    private func cores(from earlier: ServerFigures, to later: ServerFigures, in seconds: Double) -> Double? {
        guard let before = earlier.processorTime, let after = later.processorTime else { return nil }
        return max(0, after - before) / seconds
    }
}
