import Testing

@testable import Domain

@Suite struct CheckLimitsTests {
    @Test(
        "each pause is four times as long as the one before, up to an hour",
        arguments: [(5, [5, 20, 80, 320, 1280, 3600, 3600]), (1, [1, 4, 16, 64]), (3600, [3600, 3600])]
    )
    func pauses(first: Int, seconds: [Int64]) {
        var limits = CheckLimits()
        limits.retryPause = first
        #expect((1...seconds.count).map { limits.pause(afterFailures: $0) } == seconds.map { $0 * 1000 })
        #expect(limits.pause(afterFailures: 20) == 3_600_000)
    }
}
