import Domain
import Support
import Synchronization
import Testing

/// Which server does the work of a lease, and when it stops.
@Suite struct LeasesTests {
    private let coordination = MemoryCoordination()

    /// A lease that ends later than any test, so that only a release frees it, and short times of all else.
    private static let times = Leases.Times(
        lease: .seconds(3600),
        renewal: .milliseconds(20),
        margin: .seconds(1),
        poll: .milliseconds(10)
    )

    /// What servers do, in order: `begin A`, `end A`, `recover A`.
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock(\.self) }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        func contains(_ line: String) -> Bool { all.contains(line) }
        func count(_ line: String) -> Int { all.count { $0 == line } }
    }

    private func leases(_ times: Leases.Times = LeasesTests.times) throws -> Leases {
        Leases(coordination, of: try #require(AppID("app")), times: times)
    }

    /// Work that lasts until it is cancelled.
    @Sendable private static func work(_ name: String, _ journal: Journal) async {
        journal.add("begin \(name)")
        try? await Task.sleep(for: .seconds(600))
        journal.add("end \(name)")
    }

    /// A server with work under a lease; its end is its stop.
    private func server(
        _ name: String,
        _ journal: Journal,
        _ job: LeasedJob = .mails,
        _ times: Leases.Times = LeasesTests.times,
        recovering recover: (@Sendable () async throws -> Void)? = nil
    ) throws -> Task<Void, Never> {
        let leases = try leases(times)
        return Task {
            await withTaskGroup { group in
                let keeper = Task { await leases.run() }
                group.addTask {
                    await leases.holding(job, recovering: recover) { await LeasesTests.work(name, journal) }
                }
                await group.waitForAll()
                keeper.cancel()
                await keeper.value
            }
        }
    }

    @Test("without other servers the work runs at once and once, and nothing is recovered")
    func alone() async throws {
        let journal = Journal()
        let leases = Leases(nil, of: try #require(AppID("app")))
        #expect(!leases.areShared)
        await leases.holding(.mails, recovering: { journal.add("recover") }, { journal.add("work") })
        await leases.run()
        #expect(journal.all == ["work"])
    }

    @Test("leases of a server that has ended for certain are taken at once, and those of another one are not")
    func endedHolder() async throws {
        let hour = Leases.Times(lease: .seconds(3600), poll: .milliseconds(10))
        let app = try #require(AppID("app"))
        #expect(try coordination.take([.mails], for: "former", lasting: .seconds(3600)) == [.mails])
        #expect(try coordination.take([.sms], for: "other", lasting: .seconds(3600)) == [.sms])
        let leases = Leases(coordination, of: app, as: "new", replacing: ["former"], times: hour)
        let keeper = Task { await leases.run() }
        let journal = Journal()
        let others = Task { await leases.holding(.sms) { journal.add("sms") } }
        await leases.holding(.mails, recovering: { journal.add("recover") }, { journal.add("mails") })
        others.cancel()
        await others.value
        keeper.cancel()
        await keeper.value
        #expect(journal.all == ["recover", "mails"])
    }

    @Test("one of two servers works; after its clean stop the other one does, long before the lease would end")
    func cleanStop() async throws {
        let journal = Journal()
        let first = try server("A", journal)
        try await eventually("A works") { journal.contains("begin A") }
        let second = try server("B", journal, recovering: { journal.add("recover B") })
        let holder = coordination.holder(of: .mails)
        let renewals = coordination.renewals
        try await eventually("A renews its lease, and B asks for it") { coordination.renewals > renewals + 5 }
        #expect(coordination.holder(of: .mails) == holder)
        #expect(journal.all == ["begin A"])
        first.cancel()
        await first.value
        try await eventually("B works") { journal.contains("begin B") }
        second.cancel()
        await second.value
        #expect(journal.all == ["begin A", "end A", "recover B", "begin B", "end B"])
        #expect(coordination.holder(of: .mails) == nil)
    }

    @Test("a server that loses its lease to another one stops its work, and goes on when it gets the lease again")
    func loss() async throws {
        let journal = Journal()
        let task = try server("A", journal, recovering: { journal.add("recover A") })
        try await eventually("A works") { journal.contains("begin A") }
        coordination.give(.mails, to: "other", for: .seconds(3600))
        try await eventually("A stops") { journal.contains("end A") }
        try coordination.release([.mails], of: "other")
        try await eventually("A works again") { journal.count("begin A") == 2 }
        task.cancel()
        await task.value
        #expect(journal.all == ["recover A", "begin A", "end A", "recover A", "begin A", "end A"])
    }

    @Test("a server that cannot renew its lease stops its work before another one can have the lease")
    func cutOff() async throws {
        let journal = Journal()
        var times = LeasesTests.times
        times.margin = times.lease - .seconds(2)
        let task = try server("A", journal, .mails, times)
        try await eventually("A works") { journal.contains("begin A") }
        coordination.failure = Broken()
        // On a busy machine it can have lost the lease before, and have it again.
        try await eventually("A stops") { journal.count("end A") == journal.count("begin A") }
        #expect(coordination.holder(of: .mails) != nil)
        let begins = journal.count("begin A")
        coordination.failure = nil
        try await eventually("A works again") { journal.count("begin A") > begins }
        task.cancel()
        await task.value
    }

    @Test("each kind of work has a lease of its own")
    func kinds() async throws {
        let journal = Journal()
        coordination.give(.mails, to: "other", for: .seconds(3600))
        let tasks = try LeasedJob.allCases.map { try server($0.rawValue, journal, $0) }
        try await eventually("all but mails run") { journal.all.count == LeasedJob.allCases.count - 1 }
        #expect(!journal.contains("begin mails"))
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    @Test("a recovery that fails is tried again before the work begins")
    func recovery() async throws {
        let journal = Journal()
        let tries = Counter()
        let task = try server(
            "A",
            journal,
            recovering: {
                journal.add("recover A")
                if tries.next() < 2 { throw Broken() }
            }
        )
        try await eventually("A works") { journal.contains("begin A") }
        task.cancel()
        await task.value
        #expect(journal.all == ["recover A", "recover A", "recover A", "begin A", "end A"])
    }

    @Test("work that ends by itself gives its lease back")
    func ownEnd() async throws {
        let leases = try leases()
        let keeper = Task { await leases.run() }
        await leases.holding(.scrub) {}
        #expect(coordination.holder(of: .scrub) == nil)
        keeper.cancel()
        await keeper.value
    }
}
