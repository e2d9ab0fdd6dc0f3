internal import CoreMetrics
package import Domain
internal import NIOCore
internal import Synchronization

/// The number of open connections of each client address, so that one client cannot have all of them; thread-safe.
package final class AddressConnections: Sendable {
    private let most: Int
    private let setting: String
    private let exempt: [IPNetwork]
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - most: The maximum number for each address (`http.maxConnectionsPerAddress`); 0 means no limit.
    ///   - setting: The setting under which refusals count in the metrics.
    ///   - exempt: The networks whose addresses have no limit: trusted proxies, whose connections are those of many
    ///     clients, and `limits.exempt`.
    package init(most: Int, setting: String = "http.maxConnectionsPerAddress", exempt: [IPNetwork]) {
        self.most = most
        self.setting = setting
        self.exempt = exempt
    }

    /// Counts a connection until it closes.
    ///
    /// - Returns: Whether it can stay; otherwise the caller closes it.
    func admit(_ channel: any Channel) -> Bool {
        guard most > 0, let address = channel.remoteAddress?.host, !exempt.contains(where: { $0.contains(address) })
        else { return true }
        let network = ClientAddress.network(of: address)
        let isAdmitted = counts.withLock { counts in
            guard counts[network, default: 0] < most else { return false }
            counts[network, default: 0] += 1
            return true
        }
        guard isAdmitted else {
            Counter(label: "lcfile_limits_hit_total", dimensions: [("limit", setting)]).increment()
            return false
        }
        channel.closeFuture.whenComplete { [self] _ in remove(network) }
        return true
    }

    private func remove(_ network: String) {
        counts.withLock { counts in
            guard let count = counts[network], count > 1 else {
                counts[network] = nil
                return
            }
            counts[network] = count - 1
        }
    }
}
