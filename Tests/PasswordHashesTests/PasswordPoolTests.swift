import Dispatch
import Domain
import NIOPosix
import Testing

@testable import PasswordHashes

@Suite(.timeLimit(.minutes(5))) struct PasswordPoolTests {
    private let guest = CallerIdentity.guest(address: "10.0.0.1")

    /// What a pool of cheap hashes gives.
    private func inPool<Value>(
        cost: Int = 10,
        queue: Int = 8,
        _ body: (PasswordPool) async throws -> Value
    ) async throws -> Value {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(PasswordPool(cost: cost, pool: threads, threads: 1, queue: queue)))
        } catch {
            result = .failure(error)
        }
        try await threads.shutdownGracefully()
        return try result.get()
    }

    private func hash(_ text: String) async throws -> PasswordHash {
        try await inPool { try await $0.hash(Password(.string(text), limit: 1024), for: guest) }
    }

    private func comparison(_ text: String, _ hash: PasswordHash?, cost: Int = 10) async throws -> PasswordComparison {
        try await inPool(cost: cost) {
            try await $0.verify(Password(.string(text), limit: 1024), against: hash, for: guest)
        }
    }

    @Test("a new hash is scrypt's, tells its parameters, and has a salt of its own")
    func form() async throws {
        let (first, second) = (try await hash("p4ss"), try await hash("p4ss"))
        #expect(first.text.hasPrefix("$scrypt$ln=10,r=8,p=1$"))
        #expect(first != second)
    }

    @Test("scrypt is RFC 7914's")
    func vector() async throws {
        // The third vector of section 12, of its 64 bytes the first 32; its salt is "SodiumChloride".
        let text = "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU=$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI="
        #expect(try await comparison("pleaseletmein", PasswordHash(stored: text), cost: 14) == .right)
    }

    @Test("the password itself is right and any other wrong", arguments: ["p4ss", "密码 🔑", "a"])
    func comparisons(text: String) async throws {
        let hash = try await hash(text)
        #expect(try await comparison(text, hash) == .right)
        #expect(try await comparison(text + "x", hash) == .wrong)
    }

    @Test("a hash of another cost is right, and outdated")
    func otherCost() async throws {
        #expect(try await comparison("p4ss", hash("p4ss"), cost: 11) == .rightButOutdated)
    }

    @Test(
        "hashes from elsewhere verify, and are outdated",
        arguments: [
            (
                "$leancloud$h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2$"
                    + "tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==",
                "password"
            ),
            (
                "$leancloud$0123456789abcdefghijklmnopqrstuvwxyz0123456789ab$"
                    + "pqUfMmG7WTpgNH8/TAQFBjfbklvlMQ81j6xWfecRQKZuYytCM2iabaN2kz7YlaqpRmP40oMouRi9Kp0GIWpJ/w==",
                "Tr0ub4dor&3"
            ),
            // Of the original implementation's own tests.
            ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ]
    )
    func imported(hash: String, text: String) async throws {
        let hash = PasswordHash(stored: hash)
        #expect(try await comparison(text, hash) == .rightButOutdated)
        #expect(try await comparison("x" + text, hash) == .wrong)
    }

    @Test(
        "what is no hash, and a user who is not there, are wrong",
        arguments: [nil, "", "$", "plain", "$scrypt$ln=99,r=8,p=1$AAAA$AAAA", "$leancloud$$", "$2b$05$short", "*0"]
    )
    func nothing(hash: String?) async throws {
        #expect(try await comparison("p4ss", hash.map(PasswordHash.init(stored:))) == .wrong)
    }

    /// Hashes a password while the only thread is busy; the task waits until the body is done.
    private func whileBusy(queue: Int, _ body: (PasswordPool) async throws -> Void) async throws {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        let release = DispatchSemaphore(value: 0)
        threads.submit { _ in release.wait() }
        let pool = PasswordPool(cost: 10, pool: threads, threads: 1, queue: queue)
        let first = Task { try await hash(in: pool, for: .guest(address: "first")) }
        while pool.permits.freeCount > 0 { await Task.yield() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(pool))
        } catch {
            result = .failure(error)
        }
        release.signal()
        _ = try await first.value
        while pool.permits.freeCount == 0 { await Task.yield() }
        try await threads.shutdownGracefully()
        try result.get()
    }

    private func hash(in pool: PasswordPool, for caller: CallerIdentity) async throws {
        _ = try await pool.hash(Password("p4ss", limit: 1024), for: caller)
    }

    /// A request that waits for the thread.
    private func waiting(in pool: PasswordPool, for caller: CallerIdentity) async -> Task<Void, any Error> {
        let before = pool.permits.waitingCount
        let task = Task { try await hash(in: pool, for: caller) }
        while pool.permits.waitingCount == before { await Task.yield() }
        return task
    }

    @Test("more passwords than may wait are refused at once, and the refusal names the setting")
    func refusal() async throws {
        try await whileBusy(queue: 0) { pool in
            let error = await #expect(throws: ServiceError.self) { try await hash(in: pool, for: guest) }
            #expect(error?.code == .overloaded)
            #expect(error?.message.contains("accounts.maxQueuedPasswords") == true)
        }
    }

    @Test("a flood of one address leaves room for others, who push it out of the queue")
    func flood() async throws {
        try await whileBusy(queue: 2) { pool in
            let kept = await waiting(in: pool, for: guest)
            let displaced = await waiting(in: pool, for: guest)
            await #expect(throws: ServiceError.self) { try await hash(in: pool, for: guest) }
            let other = Task { try await hash(in: pool, for: .guest(address: "10.0.0.2")) }
            let error = await #expect(throws: ServiceError.self) { try await displaced.value }
            #expect(error?.code == .overloaded)
            await #expect(throws: ServiceError.self) { try await hash(in: pool, for: .guest(address: "10.0.0.3")) }
            kept.cancel()
            other.cancel()
        }
    }

    @Test("the master key always waits, however many do")
    func master() async throws {
        try await whileBusy(queue: 1) { pool in
            let other = await waiting(in: pool, for: guest)
            var masters: [Task<Void, any Error>] = []
            for _ in 0..<3 { masters.append(await waiting(in: pool, for: .master)) }
            await #expect(throws: ServiceError.self) { try await hash(in: pool, for: guest) }
            for task in masters + [other] { task.cancel() }
        }
    }
}
