import Support
import Testing

@testable import Domain

@Suite("Bulk runs")
struct CensorRunTests {
    private static let everything = (from: Timestamp(milliseconds: 0), to: Timestamp.now().adding(seconds: 3600))

    private func fixture(files count: Int) async throws -> (CensorFixture, [ObjectID]) {
        let fixture = try await CensorFixture()
        var ids: [ObjectID] = []
        for number in 0..<count { ids.append(try await fixture.upload("image \(number)", key: "own/\(number).jpg")) }
        return (fixture, ids)
    }

    private func start(_ fixture: CensorFixture, rechecks: Bool = false) async throws -> CensorRun {
        try await fixture.service.startRun(over: Self.everything, rechecks: rechecks, by: "alice", as: fixture.master)
    }

    @Test("A run checks every image of its range once and then is done, in pages", arguments: [0, 1, 210])
    func all(_ count: Int) async throws {
        let (fixture, ids) = try await fixture(files: count)
        let run = try await start(fixture)
        #expect(run.total == count)
        try await fixture.work()
        #expect(Set(fixture.checker.seen) == Set(ids))
        #expect(fixture.checker.seen.count == count)
        let done = try await fixture.service.run(run.id, as: fixture.master)
        #expect(done.state == .done)
        #expect(done.examined == count)
        #expect(done.queued == count)
        #expect(done.decided == count)
        #expect(done.verdicts[.passed, default: 0] == count)
    }

    @Test(
        "A run checks files on other servers under every declared type",
        arguments: [nil, "image/png", "application/octet-stream", "text/plain"]
    )
    func elsewhere(type: String?) async throws {
        let fixture = try await CensorFixture()
        fixture.images.renderer.know("a photograph", as: photoHeader)
        fixture.origin.serve("a photograph")
        let id = try await fixture.link(type: type)
        let run = try await start(fixture)
        #expect(run.total == 1)
        try await fixture.work()
        #expect(fixture.checker.seen == [id])
        #expect(try await fixture.verdict(of: id) == .passed)
    }

    @Test("A range takes the files from its first time on and before its second")
    func range() async throws {
        let fixture = try await CensorFixture()
        let times = [100, 200, 300].map { Timestamp(milliseconds: $0) }
        var ids: [ObjectID] = []
        for time in times {
            let record = try Samples.record(createdAt: time)
            try await FileRecords(fixture.store).insert([record])
            ids.append(record.id)
        }
        let run = try await fixture.service.startRun(
            over: (times[0].adding(milliseconds: 1), times[2]),
            rechecks: false,
            by: nil,
            as: fixture.master
        )
        #expect(run.total == 1)
        _ = try await fixture.store.write { try $0.feedRun(at: .now(), ids: ObjectIDGenerator()) }
        #expect(try await fixture.jobs().map(\.file) == [ids[1]])
    }

    @Test("A cancelled run checks nothing more; resumed, it checks the rest, and no file twice")
    func resumes() async throws {
        let (fixture, ids) = try await fixture(files: 210)
        let run = try await start(fixture)
        for _ in 0..<50 { #expect(try await fixture.queue.step()) }
        let cancelled = try await fixture.service.change(run.id, to: .cancelled, by: nil, as: fixture.master)
        #expect(cancelled.state == .cancelled)
        #expect(cancelled.decided == 50)
        #expect(cancelled.queued == 50)
        // The run goes back to the millisecond of the first file that it did not check.
        #expect((40...50).contains(cancelled.examined))
        #expect(try await fixture.jobs().isEmpty)
        #expect(try await fixture.work() == 0)
        _ = try await fixture.service.change(run.id, to: .running, by: nil, as: fixture.master)
        try await fixture.work()
        #expect(fixture.checker.seen.count == 210)
        #expect(Set(fixture.checker.seen) == Set(ids))
        let done = try await fixture.service.run(run.id, as: fixture.master)
        #expect(done.state == .done)
        #expect(done.decided == 210)
        #expect(done.examined == 210)
    }

    @Test("Checked files are left out, or checked again with `recheck`", arguments: [(false, 1), (true, 2)])
    func rechecks(_ rechecks: Bool, _ checks: Int) async throws {
        let (fixture, ids) = try await fixture(files: 1)
        _ = try await fixture.service.check(ids[0], as: fixture.master)
        _ = try await start(fixture, rechecks: rechecks)
        try await fixture.work()
        #expect(fixture.checker.seen.count == checks)
    }

    @Test("One run at a time; what is done cannot be resumed")
    func conflicts() async throws {
        let (fixture, _) = try await fixture(files: 1)
        let run = try await start(fixture)
        await #expect(throws: ServiceError.self) { try await start(fixture) }
        try await fixture.work()
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.service.change(run.id, to: .running, by: nil, as: fixture.master)
        }
        #expect(error?.code == .conflict)
        _ = try await start(fixture)
    }

    @Test("A run keeps no more rows than a page, however many files it has")
    func bounded() async throws {
        let (fixture, _) = try await fixture(files: 210)
        _ = try await start(fixture)
        var most = 0
        while try await fixture.queue.step() { most = max(most, try await fixture.jobs().count) }
        #expect(most <= 200)
    }
}
