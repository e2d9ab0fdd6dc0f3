import Synchronization
import Testing

@testable import Domain

@Suite struct ReadinessTests {
    /// A clock that the test sets forward.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)

        func now() -> ContinuousClock.Instant { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    private let clock = Clock()

    private func ready() -> Readiness {
        let readiness = Readiness(now: clock.now)
        for check in Readiness.Check.allCases { readiness.record(check, []) }
        return readiness
    }

    @Test("before each check has ended once, the server starts")
    func starting() {
        let readiness = Readiness()
        #expect(readiness.obstacles == [.starting])
        readiness.record(.storage, [])
        readiness.record(.queues, [])
        readiness.record(.blobs, [])
        #expect(readiness.obstacles == [.starting])
        readiness.record(.database, [])
        #expect(readiness.obstacles == [])
    }

    @Test("the last result of a check counts")
    func last() {
        let readiness = ready()
        readiness.record(.storage, [.storageFull, .spaceLow])
        readiness.record(.queues, [.imageQueue])
        #expect(readiness.obstacles == [.storageFull, .spaceLow, .imageQueue])
        readiness.record(.storage, [])
        #expect(readiness.obstacles == [.imageQueue])
    }

    @Test(
        "a check that reports no result in time has failed",
        arguments: [(.storage, .storageSlow), (.database, .database), (.blobs, .blobStore), (.queues, .checks)]
            as [(Readiness.Check, Readiness.Obstacle)]
    )
    func late(check: Readiness.Check, obstacle: Readiness.Obstacle) {
        let readiness = ready()
        clock.pass(Readiness.bound)
        #expect(readiness.obstacles == [])
        clock.pass(.milliseconds(1))
        for other in Readiness.Check.allCases where other != check { readiness.record(other, []) }
        #expect(readiness.obstacles == [obstacle])
        readiness.record(check, [])
        #expect(readiness.obstacles == [])
    }

    @Test("a server that stops does not become ready again")
    func stopping() {
        let readiness = ready()
        readiness.stop()
        for check in Readiness.Check.allCases { readiness.record(check, []) }
        #expect(readiness.obstacles == [.stopping])
    }

    @Test("each fault of the storage but damage is an obstacle", arguments: StorageFault.allCases)
    func faults(_ fault: StorageFault) {
        #expect((Readiness.Obstacle(fault) == nil) == (fault == .damaged))
    }
}
