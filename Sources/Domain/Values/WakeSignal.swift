internal import Synchronization

/// Tells one waiting task that there is work; signals before the wait are combined.
final class WakeSignal: Sendable {
    private struct State {
        var isSet = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the waiting task, or the next one that waits; never blocks.
    func set() {
        let waiter = state.withLock { state in
            let waiter = state.waiter.take()
            state.isSet = waiter == nil
            return waiter
        }
        waiter?.resume()
    }

    /// Returns once the signal was set since the last call, or when the task is cancelled; for one task at a time.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    guard !state.isSet else {
                        state.isSet = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }
}

extension WakeSignal {
    /// As ``wait()``, but returns at a time at the latest; `nil` for no limit.
    func wait(until end: ContinuousClock.Instant?) async {
        guard let end else { return await wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }
}
