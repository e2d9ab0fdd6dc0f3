internal import CoreMetrics
package import Domain
internal import NIOCore
internal import Synchronization

/// Limits the requests of HTTP/2 that run beside another one of the same connection; thread-safe.
///
/// A connection has a descriptor for one file. Each further request at once can hold another file open, and a response
/// in memory, as a further connection would; so they are limited for all connections together.
package final class StreamLimit: Sendable {
    private let most: Int
    private let addresses: AddressConnections
    private let count = Atomic(0)

    /// The setting on which the limit depends, and under which refusals count in the metrics.
    private static let setting = "http.maxConnections"

    /// - Parameters:
    ///   - most: The maximum number of these requests; clients at one address can have half of them.
    ///   - exempt: The networks whose addresses can have all of them.
    package init(most: Int = .max, exempt: [IPNetwork] = []) {
        self.most = most
        addresses = AddressConnections(
            most: most == .max ? 0 : max(1, most / 2),
            setting: StreamLimit.setting,
            exempt: exempt
        )
    }

    /// Counts a stream until it closes.
    ///
    /// - Returns: Whether its request can run; otherwise the caller refuses it.
    func admit(_ stream: any Channel) -> Bool {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= most else {
            count.wrappingSubtract(1, ordering: .relaxed)
            Counter(label: "lcfile_limits_hit_total", dimensions: [("limit", StreamLimit.setting)]).increment()
            return false
        }
        guard addresses.admit(stream) else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        stream.closeFuture.whenComplete { [self] _ in count.wrappingSubtract(1, ordering: .relaxed) }
        return true
    }
}
