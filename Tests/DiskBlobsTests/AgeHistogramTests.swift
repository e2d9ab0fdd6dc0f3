import Testing

@testable import DiskBlobs

@Suite struct AgeHistogramTests {
    /// From the oldest on, each in a step of its own.
    private let ages: [Int64] = [.max, .max / 2, 1 << 40, 100_000, 1000, 64, 63, 33, 32, 31, 1, 0]

    private func histogram() -> AgeHistogram {
        var histogram = AgeHistogram()
        for age in ages { histogram.add(10, age: age) }
        return histogram
    }

    @Test("the oldest have to go, and no more than needed", arguments: 1...120)
    func oldest(excess: Int) {
        var eviction = histogram().eviction(of: Int64(excess))
        let taken = ages.filter { eviction.takes(10, age: $0) }
        #expect(taken == Array(ages.prefix((excess + 9) / 10)))
    }

    @Test("what comes first of those equally old goes, whatever the order")
    func order() {
        var eviction = histogram().eviction(of: 35)
        let taken = ages.reversed().filter { eviction.takes(10, age: $0) }
        #expect(Set(taken) == Set(ages.prefix(4)))
    }

    @Test("all goes if all of it is not enough")
    func everything() {
        var eviction = histogram().eviction(of: 1000)
        #expect(ages.allSatisfy { eviction.takes(10, age: $0) })
    }

    @Test("a use in the future counts as one now")
    func future() {
        var histogram = AgeHistogram()
        histogram.add(10, age: .min)
        histogram.add(10, age: 5)
        #expect(histogram.total == 20)
        var eviction = histogram.eviction(of: 10)
        let taken = [.min, 5].filter { eviction.takes(10, age: $0) }
        #expect(taken == [5])
    }
}
