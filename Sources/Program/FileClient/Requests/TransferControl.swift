internal import Glibc
internal import Synchronization

/// What a transfer obeys: cancellation and the bandwidth limit.
final class TransferControl: Sendable {
    private let cancelled = Atomic(false)
    private let bandwidth: RateLimit?

    init(bandwidth: RateLimit?) {
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
