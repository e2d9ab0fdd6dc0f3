import Testing

@testable import Domain

@Suite struct RecentFailuresTests {
    private let master: Caller
    private let guest: Caller

    init() throws {
        let app = try #require(AppID("app"))
        master = Caller(app: app, isMaster: true)
        guest = Caller(app: app)
    }

    private func request(_ id: Int, status: Int, path: String = "/x") -> FailedRequest {
        FailedRequest(
            time: Timestamp(milliseconds: Int64(id)),
            id: "\(id)",
            client: "192.0.2.1",
            method: "GET",
            path: path,
            status: status,
            message: "no",
            duration: .zero
        )
    }

    @Test("each list has the newest requests first, and drops the oldest beyond its bound")
    func bound() throws {
        let failures = RecentFailures()
        for id in 1...(RecentFailures.bound + 3) { failures.record(request(id, status: 404)) }
        let refused = try failures.lists(as: master).refused
        #expect(refused.map(\.id) == (4...(RecentFailures.bound + 3)).reversed().map(String.init))
    }

    @Test("many refused requests do not remove the failures of the server")
    func separate() throws {
        let failures = RecentFailures()
        failures.record(request(1, status: 500))
        for id in 2...500 { failures.record(request(id, status: 400)) }
        #expect(try failures.lists(as: master).failed.map(\.id) == ["1"])
    }

    @Test("long strings, which a client chooses, are shortened, also in the middle of a character")
    func long() throws {
        let failures = RecentFailures()
        failures.record(request(1, status: 400, path: "/" + String(repeating: "文", count: 10_000)))
        let path = try #require(try failures.lists(as: master).refused.first?.path)
        #expect(path.utf8.count < 300)
        #expect(path.hasSuffix("…"))
    }

    @Test("without the master key there is no list")
    func guests() {
        #expect(throws: ServiceError.self) { try RecentFailures().lists(as: guest) }
    }
}
