import Domain
import Support
import Testing

@testable import PostgresStore

/// What the servers of one schema agree on: leases and locks.
@Suite struct CoordinationTests {
    @Test("a lease has one holder, which can renew and release it; others get it when it is over")
    func leases() async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try Engine.coordination(stores[0]), try Engine.coordination(stores[1]))
            let jobs: Set<LeasedJob> = [.mails, .sms]
            #expect(try await first.take(jobs, for: "a", lasting: .seconds(600)) == jobs)
            #expect(try await second.take([.mails, .people], for: "b", lasting: .seconds(600)) == [.people])
            #expect(try await first.take(jobs, for: "a", lasting: .seconds(600)) == jobs)
            // One of another holder is not released.
            try await second.release(jobs, of: "b")
            #expect(try await second.take([.sms], for: "b", lasting: .seconds(600)) == [])
            try await first.release([.mails], of: "a")
            #expect(try await second.take([.mails], for: "b", lasting: .seconds(600)) == [.mails])
            _ = try await first.take([.sms], for: "a", lasting: .milliseconds(1))
            try await eventually { try await second.take([.sms], for: "b", lasting: .seconds(600)) == [.sms] }
            #expect(try await first.take(jobs, for: "a", lasting: .seconds(600)) == [])
        }
    }

    @Test("of many servers that want a lease at the same moment one gets it")
    func race() async throws {
        try await Engine.withStores(4) { stores in
            for _ in 0..<10 {
                let takers = try await withThrowingTaskGroup { group in
                    for (number, store) in stores.enumerated() {
                        let coordination = try Engine.coordination(store)
                        group.addTask {
                            let jobs = Set(LeasedJob.allCases)
                            return (number, try await coordination.take(jobs, for: "\(number)", lasting: .seconds(600)))
                        }
                    }
                    return try await group.reduce(into: [Int: Set<LeasedJob>]()) { $0[$1.0] = $1.1 }
                }
                #expect(takers.values.reduce(0) { $0 + $1.count } == LeasedJob.allCases.count)
                for (number, jobs) in takers {
                    try await Engine.coordination(stores[number]).release(jobs, of: "\(number)")
                }
            }
        }
    }

    @Test("while another server has a lease, an attempt writes nothing")
    func attempts() async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try Engine.coordination(stores[0]), try Engine.coordination(stores[1]))
            _ = try await first.take([.scrub], for: "a", lasting: .seconds(600))
            let connection = try PostgresConnection(stores[0].address)
            let row: SQL = "SELECT xmax::text || ' ' || ctid::text FROM lease"
            let before = try connection.run(row).text(0, 0)
            for _ in 0..<3 { #expect(try await second.take([.scrub], for: "b", lasting: .seconds(600)) == []) }
            #expect(try connection.run(row).text(0, 0) == before)
        }
    }

    @Test("work moves from a server that stops to another one, which does not wait for the end of the lease")
    func work() async throws {
        try await Engine.withStores(2) { stores in
            let app = try #require(AppID("app"))
            let names = Counter()
            func run(_ store: PostgresObjectStore, _ running: Counter) -> Task<Void, Never> {
                // Only a release frees it.
                let leases = Leases(store.coordination, of: app, times: Leases.Times(lease: .seconds(3600)))
                return Task {
                    let keeper = Task { await leases.run() }
                    await leases.holding(.mails) {
                        _ = running.next()
                        try? await Task.sleep(for: .seconds(600))
                        _ = names.next()
                    }
                    keeper.cancel()
                    await keeper.value
                }
            }
            let runs = [Counter(), Counter()]
            let first = run(stores[0], runs[0])
            try await eventually { runs[0].value == 1 }
            let second = run(stores[1], runs[1])
            first.cancel()
            await first.value
            try await eventually { runs[1].value == 1 }
            #expect(names.value == 1)
            second.cancel()
            await second.value
        }
    }

    // Locks

    @Test("a name is locked by one server at a time, in its scope", arguments: LockScope.allCases)
    func locks(scope: LockScope) async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try Engine.coordination(stores[0]), try Engine.coordination(stores[1]))
            // Tests that run at the same time share the locks of all apps.
            let own = ObjectIDGenerator().next()
            let (names, third) = (["ключ/\(own)/\"{a}\"", "b\\\(own)"], "c\(own)")
            try await first.lock(names, scope)
            // Another scope and other names are free.
            for other in LockScope.allCases where other != scope {
                try await second.lock(names, other)
                await second.unlock(names, other)
            }
            try await second.lock([third], scope)
            let waiting = Task { try await second.lock([names[1]], scope) }
            await first.unlock([names[0]], scope)
            try await second.lock([names[0]], scope)
            await first.unlock([names[1]], scope)
            try await waiting.value
            await second.unlock(names + [third], scope)
            try await first.lock(names + [third], scope)
        }
    }

    @Test("a cancelled task ends its locks", arguments: LockScope.allCases)
    func cancelledTask(scope: LockScope) async throws {
        try await Engine.withStores(2) { stores in
            let (first, second) = (try Engine.coordination(stores[0]), try Engine.coordination(stores[1]))
            let name = "a\(ObjectIDGenerator().next())"
            let locked = Counter()
            let task = Task {
                try await first.lock([name], scope)
                _ = locked.next()
                try? await Task.sleep(for: .seconds(86_400))
                await first.unlock([name], scope)
            }
            try await eventually { locked.value == 1 }
            task.cancel()
            try await task.value
            try await second.lock([name], scope)
        }
    }

    @Test("locks of a server whose connection ends are free")
    func lostLocks() async throws {
        try await Engine.withAddress { address in
            let own = address.named(address.schema)
            let (first, second) = (try PostgresObjectStore(own), try PostgresObjectStore(address))
            try await Engine.coordination(first).lock(["a"], .app)
            try Engine.endConnections(of: own, running: "advisory")
            try await Engine.coordination(second).lock(["a"], .app)
            try await Engine.coordination(first).unlock(["a"], .app)
            let failures = Counter()
            // The lost connection is noticed by the first use at the latest.
            try await eventually {
                do {
                    try await Engine.coordination(first).lock(["b"], .app)
                    return true
                } catch {
                    return failures.next() > 1
                }
            }
            #expect(failures.value < 2)
            try await first.close()
            try await second.close()
        }
    }
}
