import Testing

@testable import S3Blobs

@Suite struct HeartbeatTests {
    private let start = ContinuousClock.now

    /// The heartbeat after renewals, each given by the seconds before its request and after its response.
    private func heartbeat(_ renewals: [(Int, Int)]) -> Heartbeat {
        var heartbeat = Heartbeat()
        for (begin, end) in renewals { heartbeat.renew(from: start + .seconds(begin), to: start + .seconds(end)) }
        return heartbeat
    }

    @Test(
        "a commit is the server's own while no renewal came late since its note",
        arguments: [
            ([(0, 1)], 1, 49, true), ([(0, 1)], 1, 50, false), ([(0, 1), (15, 16), (30, 31)], 1, 79, true),
            ([(0, 1), (15, 16), (30, 31)], 1, 80, false), ([(0, 1), (15, 50)], 1, 51, false),
            ([(0, 1), (15, 49)], 1, 51, true), ([(0, 1), (60, 61)], 1, 62, false), ([(0, 1), (60, 61)], 61, 62, true),
            ([], 1, 2, false),
        ] as [([(Int, Int)], Int, Int, Bool)]
    )
    func commits(renewals: [(Int, Int)], noted: Int, now: Int, isOwn: Bool) {
        let heartbeat = heartbeat(renewals)
        #expect(heartbeat.isUnbroken(since: start + .seconds(noted), at: start + .seconds(now)) == isOwn)
    }

    @Test("a heartbeat that was removed protects nothing")
    func end() {
        var heartbeat = heartbeat([(0, 1)])
        heartbeat.end()
        #expect(!heartbeat.isUnbroken(since: start + .seconds(1), at: start + .seconds(2)))
    }
}
