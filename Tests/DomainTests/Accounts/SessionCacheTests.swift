import Support
import Testing

@testable import Domain

@Suite struct SessionCacheTests {
    private let cache = SessionCache(bound: 100)
    private let ids = ObjectIDGenerator()
    private let token = SessionToken()
    private let lookups = Counter()

    private func user(_ id: ObjectID? = nil, session: ObjectID? = nil, epoch: Int) -> Caller.User {
        Caller.User(id: id ?? ids.next(), session: session ?? ids.next(), epoch: epoch)
    }

    /// Looks the token's user up, as a request does; counts how often that asked the database.
    private func find(_ id: ObjectID, _ session: ObjectID, during: () -> Void = {}) async {
        _ = try? await cache.user(of: token) { epoch in
            _ = lookups.next()
            during()
            return user(id, session: session, epoch: epoch)
        }
    }

    @Test(
        "the end of a user's own session, of the user, or of all is noticed, and that of others is not",
        arguments: [(0, false), (1, false), (2, true), (3, true)]
    )
    func endings(which: Int, isKept: Bool) async {
        let (id, session) = (ids.next(), ids.next())
        await find(id, session)
        let found = user(id, session: session, epoch: cache.epoch)
        switch which {
        case 0: cache.end(session)
        case 1: cache.end(id)
        case 2: cache.end(ids.next())
        default: break
        }
        #expect(cache.isCurrent(found) == isKept)
        await find(id, session)
        #expect(lookups.value == (isKept ? 1 : 2))
        cache.endAll()
        #expect(!cache.isCurrent(found))
        let before = lookups.value
        await find(id, session)
        await find(id, session)
        #expect(lookups.value == before + 1)
    }

    @Test("what was read before an end and stored after it does not count", arguments: [false, true])
    func race(isAll: Bool) async {
        let (id, session) = (ids.next(), ids.next())
        await find(id, session) { if isAll { cache.endAll() } else { cache.end(session) } }
        await find(id, session)
        #expect(lookups.value == 2)
        await find(id, session)
        #expect(lookups.value == 2)
    }

    @Test("a user without an epoch is looked up each time")
    func unknownEpoch() {
        #expect(!cache.isCurrent(user(epoch: -1)))
        cache.end(ids.next())
        #expect(!cache.isCurrent(user(epoch: -1)))
    }

    @Test("of more endings than are remembered none is forgotten", arguments: [1, 2, 5, 6, 10, 11, 12, 50])
    func manyEndings(count: Int) {
        var endings = SessionEndings(bound: 5)
        let known = (0..<count).map { _ in user(epoch: endings.epoch) }
        var ended: [Caller.User] = []
        for user in known {
            endings.end(user.session)
            ended.append(user)
            #expect(ended.allSatisfy { !endings.isCurrent($0) })
        }
        #expect(endings.isCurrent(user(epoch: endings.epoch)))
        // Who ended before is somebody else now, or logged in again.
        let again = known.map { user($0.id, session: $0.session, epoch: endings.epoch) }
        #expect(again.allSatisfy { endings.isCurrent($0) })
        // As long as all are remembered, the others stay known.
        if count <= 10 { #expect(endings.isCurrent(user(epoch: 0))) }
    }
}
