import Testing

@testable import Domain

@Suite struct DurationHistogramTests {
    @Test(
        "bounds are in ascending order, one for each bucket",
        arguments: [DurationHistogram.Scale.requests, .accesses]
    )
    func bounds(scale: DurationHistogram.Scale) {
        #expect(scale.bounds.count == DurationHistogram.bucketCount)
        #expect(scale.bounds == scale.bounds.sorted())
    }

    @Test("a duration is in the first bucket whose bound is not less")
    func buckets() {
        let durations = DurationHistogram(.requests)
        for scale in [Duration.zero, .microseconds(500), .microseconds(501), .seconds(60), .seconds(61)] {
            durations.record(scale)
        }
        let counts = durations.snapshot.counts
        #expect(counts.prefix(2) == [2, 1])
        #expect(counts.suffix(2) == [1, 1])
        #expect(durations.snapshot.count == 5)
    }

    @Test("the sum is in seconds, and a clock that goes backwards does not lower it")
    func sum() {
        let durations = DurationHistogram()
        durations.record(.milliseconds(1500))
        durations.record(.seconds(-1))
        #expect(durations.snapshot.sum == 1.5)
        #expect(durations.snapshot.count == 2)
    }

    @Test("a body that throws is measured, too")
    func throwing() {
        let durations = DurationHistogram()
        #expect(throws: CancellationError.self) { try durations.measure { throw CancellationError() } }
        #expect(durations.snapshot.count == 1)
    }
}

@Suite struct ResourceStatusTests {
    @Test("permits in use and waiting requests are jobs")
    func permits() async throws {
        let permits = FairPermits<Int>(1, maxWaiting: 3)
        try await permits.take(for: 1)
        let waiting = Task { try await permits.take(for: 2) }
        while permits.waitingCount == 0 { await Task.yield() }
        #expect(permits.status == QueueStatus(jobs: 2, waiting: 1, limit: 4))
        permits.giveBack()
        try await waiting.value
        #expect(permits.status == QueueStatus(jobs: 1, waiting: 0, limit: 4))
    }

    @Test("jobs beyond the threads wait", arguments: [(0, 0), (2, 0), (5, 3)])
    func threads(jobs: Int, waiting: Int) {
        #expect(QueueStatus(jobs: jobs, threads: 2, limit: 9).waiting == waiting)
    }

    @Test("a running image counts with its memory until its end")
    func images() async throws {
        let admission = ImageAdmission(workers: 1, memory: 100, queue: 2)
        try await admission.admit { permit in
            try await permit.run(ImageCost(memory: 60, time: .seconds(9))) { _ in
                #expect(admission.memoryStatus.used == 60)
                #expect(admission.queueStatus == QueueStatus(jobs: 1, waiting: 0, limit: 3))
            }
        }
        #expect(admission.memoryStatus.used == 0)
        #expect(admission.queueStatus.jobs == 0)
        #expect(admission.waits.snapshot.count == 1)
    }

    @Test("a cache counts hits and misses")
    func cache() async {
        let cache = BoundedCache<Int, Int>(bound: 4)
        for _ in 0..<3 { _ = await cache.value(for: 1) { 2 } }
        #expect([cache.counts.hits, cache.counts.misses] == [2, 1])
    }
}
