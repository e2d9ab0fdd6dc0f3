import Testing

@testable import Domain

@Suite struct DurationQuantileTests {
    private func snapshot(_ milliseconds: [Int]) -> DurationHistogram.Snapshot {
        let histogram = DurationHistogram()
        for number in milliseconds { histogram.record(.milliseconds(number)) }
        return histogram.snapshot
    }

    @Test("a quantile lies inside the bucket of its rank, as if the durations were evenly spread there")
    func inside() {
        // The bucket from 5 to 10 ms.
        let all = snapshot(Array(repeating: 7, count: 100))
        #expect(all.quantile(0.5) == 0.0075)
        #expect(all.quantile(1) == 0.01)
        let mixed = snapshot(Array(repeating: 7, count: 99) + [400])
        #expect(mixed.quantile(0.99).map { $0 <= 0.01 } == true)
        #expect(mixed.quantile(0.995).map { $0 > 0.25 && $0 <= 0.5 } == true)
    }

    @Test("a quantile of no durations is nil, and of those beyond the last bound it is that bound")
    func ends() {
        #expect(snapshot([]).quantile(0.5) == nil)
        #expect(snapshot([120_000]).quantile(0.5) == 60)
    }

    @Test("the durations since a snapshot are those that were counted after it")
    func difference() {
        let histogram = DurationHistogram()
        histogram.record(.milliseconds(7))
        let earlier = histogram.snapshot
        histogram.record(.milliseconds(400))
        let later = histogram.snapshot.since(earlier)
        #expect(later.count == 1)
        #expect(later.quantile(0.5).map { $0 > 0.25 } == true)
        var sum = later
        sum.add(earlier)
        #expect(sum.counts == histogram.snapshot.counts)
    }
}
