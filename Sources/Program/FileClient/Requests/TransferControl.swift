internal import Glibc
internal import Synchronization

/// What a transfer obeys: cancellation and the bandwidth limit.
final class TransferControl: Sendable {
    private let cancelled = Atomic(false)
    private let bandwidth: BandwidthLimit?

    init(bandwidth: BandwidthLimit?) {
        self.bandwidth = bandwidth
    }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Stops the transfer at its next callback, within a second.
    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Blocks the transfer's thread until the bandwidth limit allows that many more bytes, or the transfer is
    /// cancelled.
    func account(for bytes: Int) {
        guard let bandwidth, bytes > 0 else { return }
        var wait = bandwidth.reserve(bytes, at: .now)
        while wait > .zero, !isCancelled {
            let step = min(wait, .milliseconds(100))
            usleep(UInt32(step / .microseconds(1)))
            wait -= step
        }
    }
}

/// A rate that all transfers of a client share.
final class BandwidthLimit: Sendable {
    private let bytesPerSecond: Double
    /// The moment at which all reserved bytes are transferred.
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    init(bytesPerSecond: Int) {
        self.bytesPerSecond = Double(max(1, bytesPerSecond))
    }

    /// Reserves bytes and returns the time after which they are transferred at the limit's rate.
    ///
    /// Unused time is not saved: after a pause the rate does not exceed the limit.
    func reserve(_ bytes: Int, at now: ContinuousClock.Instant) -> Duration {
        end.withLock { end in
            let next = max(end ?? now, now) + .seconds(Double(bytes) / bytesPerSecond)
            end = next
            return next - now
        }
    }
}
