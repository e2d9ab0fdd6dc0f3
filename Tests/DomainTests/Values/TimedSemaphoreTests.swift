import Dispatch
import Glibc
import Testing

@testable import Domain

@Suite(.timeLimit(.minutes(1))) struct TimedSemaphoreTests {
    @Test("each signal ends one wait, also one that begins later")
    func counted() {
        let semaphore = TimedSemaphore()
        semaphore.signal()
        semaphore.signal()
        semaphore.wait()
        #expect(semaphore.wait(for: .zero))
        #expect(!semaphore.wait(for: .zero))
    }

    @Test("a signal of another thread ends a wait before its time")
    func signalled() {
        let (semaphore, waiting) = (TimedSemaphore(), TimedSemaphore())
        DispatchQueue(label: "lcfile.test").async {
            waiting.wait()
            semaphore.signal()
        }
        waiting.signal()
        #expect(semaphore.wait(for: .seconds(3600)))
    }

    @Test("a wait without a signal ends when its time is over, and not before")
    func timed() {
        let begin = TimedSemaphore.now
        #expect(!TimedSemaphore().wait(for: .milliseconds(20)))
        #expect(TimedSemaphore.now - begin >= .milliseconds(20))
    }

    @Test("the end of a wait is a moment of the clock that cannot be set")
    func clock() {
        #expect(TimedSemaphore.clock == CLOCK_MONOTONIC)
        // For CLOCK_REALTIME this is a moment in 1970 or soon after, and the wait would end at once.
        let end = TimedSemaphore.now + .milliseconds(20)
        #expect(!TimedSemaphore().wait(until: end))
        #expect(TimedSemaphore.now >= end)
    }
}
