import Synchronization
import Testing

@testable import Domain

@Suite(.timeLimit(.minutes(1))) struct WakeSignalTests {
    @Test("signals before a wait are one, and wake the next wait at once")
    func before() async {
        let signal = WakeSignal()
        signal.set()
        signal.set()
        await signal.wait()
        let hasWoken = Mutex(false)
        // An immediate task waits before the next line, unless a second signal is left.
        let waiting = Task.immediate {
            await signal.wait()
            hasWoken.withLock { $0 = true }
        }
        let hasFoundSecond = hasWoken.withLock(\.self)
        #expect(!hasFoundSecond)
        signal.set()
        await waiting.value
    }

    @Test("a cancelled wait returns and takes no signal")
    func cancelled() async {
        let signal = WakeSignal()
        let waiting = Task.immediate { await signal.wait() }
        waiting.cancel()
        await waiting.value
        signal.set()
        // The task cancels itself, because it could take the signal before another task cancels it.
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await signal.wait()
        }
        await cancelled.value
        // Returns only if the signal is left.
        await signal.wait()
    }
}
