import Support
import Testing

@testable import FileClient

@Suite struct RetryPolicyTests {
    static let kinds: [(error: FileClientError, idempotent: Bool, other: Bool)] = [
        (refused(429), true, true), (refused(503), true, true), (refused(500), true, false),
        (refused(502), true, false),
        (refused(504), true, false), (refused(408), true, false), (refused(400), false, false),
        (refused(401), false, false),
        (refused(403), false, false), (refused(404), false, false), (refused(413), false, false),
        (refused(507), false, false), (FileClientError(.unreachable, "x"), true, true),
        (FileClientError(.interrupted, "x"), true, false), (FileClientError(.damaged, "x"), false, false),
        (FileClientError(.refused, status: 503, code: 511, "x"), true, false),
        (FileClientError(.local, "x"), false, false), (FileClientError(.unsized, "x"), false, false),
        (FileClientError(.unexpectedAnswer, "x"), false, false),
    ]

    @Test("only temporary errors are repeated, and others only if the server has surely done nothing", arguments: kinds)
    func temporary(error: FileClientError, idempotent: Bool, other: Bool) {
        #expect((RetryPolicy().delay(after: error, failures: 1) != nil) == idempotent)
        #expect((RetryPolicy().delay(after: error, failures: 1, isIdempotent: false) != nil) == other)
    }

    @Test(
        "delays double up to the longest, and half of each is random",
        arguments: [
            (1, 1.0, 500), (1, 0.0, 250), (2, 1.0, 1000), (3, 1.0, 2000), (4, 0.5, 3000), (7, 1.0, 30000),
            (7, 0.0, 15000),
        ]
    )
    func delays(failures: Int, random: Double, milliseconds: Int) {
        let delay = RetryPolicy().delay(after: Self.refused(503), failures: failures, random: random)
        #expect(delay == .milliseconds(milliseconds))
    }

    @Test("the number of attempts is bounded", arguments: [(1, true), (7, true), (8, false), (100, false)])
    func attempts(failures: Int, goesOn: Bool) {
        #expect((RetryPolicy().delay(after: Self.refused(503), failures: failures) != nil) == goesOn)
        #expect(RetryPolicy.none.delay(after: Self.refused(503), failures: failures) == nil)
    }

    @Test(
        "Retry-After is honoured up to its limit",
        arguments: [("0", 500), ("2", 2000), ("300", 300_000), ("301", nil), ("-1", 500), ("soon", 500)]
            as [(String, Int?)]
    )
    func retryAfter(header: String, milliseconds: Int?) {
        let error = FileClientError(Response(status: 429, headers: ["retry-after": header]))
        let delay = RetryPolicy().delay(after: error, failures: 1, random: 1)
        #expect(delay == milliseconds.map { .milliseconds($0) })
    }

    @Test("very many failures do not overflow")
    func overflow() {
        var policy = RetryPolicy()
        policy.attempts = .max
        #expect(policy.delay(after: Self.refused(503), failures: 10_000, random: 1) == .seconds(30))
    }

    private static func refused(_ status: Int) -> FileClientError {
        FileClientError(Response(status: status))
    }
}
