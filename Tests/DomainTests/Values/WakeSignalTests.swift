import Testing

@testable import Domain

@Suite struct WakeSignalTests {
    @Test("signals before a wait are one, and wake the next wait at once")
    func before() async {
        let signal = WakeSignal()
        signal.set()
        signal.set()
        await signal.wait()
        let waiting = Task { await signal.wait() }
        signal.set()
        await waiting.value
    }

    @Test("a cancelled wait returns and takes no signal")
    func cancelled() async {
        let signal = WakeSignal()
        let waiting = Task { await signal.wait() }
        waiting.cancel()
        await waiting.value
        signal.set()
        let cancelled = Task { await signal.wait() }
        cancelled.cancel()
        await cancelled.value
    }
}
