import Testing

@testable import Domain

@Suite struct ServerHistoryTests {
    private func figures(_ requests: Int, failed: Int = 0, processor: Double? = nil) -> ServerFigures {
        var figures = ServerFigures(durations: DurationHistogram().snapshot)
        figures.requests = requests
        figures.failed = failed
        figures.processorTime = processor
        figures.memory = Double(requests)
        return figures
    }

    private func value(_ series: HistorySeries, _ sample: ServerHistory.Sample) throws -> Double? {
        sample.values[try #require(HistorySeries.allCases.firstIndex(of: series))]
    }

    @Test("counts become rates by the time that passed, and measured values stay")
    func rates() throws {
        let history = ServerHistory()
        let start = ContinuousClock.now
        history.record(figures(100, processor: 1), at: Timestamp(milliseconds: 0), start)
        #expect(history.samples().isEmpty)
        history.record(figures(150, failed: 5, processor: 6), at: Timestamp(milliseconds: 10_000), start + .seconds(10))
        let sample = try #require(history.samples().first)
        #expect(try value(.requests, sample) == 5)
        #expect(try value(.failed, sample) == 0.5)
        #expect(try value(.processor, sample) == 0.5)
        #expect(try value(.memory, sample) == 150)
        #expect(try value(.median, sample) == nil)
        #expect(try value(.freeSpace, sample) == nil)
    }

    @Test("an hour of samples is stored, and a reader gets those after the last one that it has")
    func bound() throws {
        let history = ServerHistory()
        let start = ContinuousClock.now
        for number in 0...(ServerHistory.bound + 5) {
            let time = Timestamp(milliseconds: Int64(number) * 10_000)
            history.record(figures(number), at: time, start + .seconds(10 * number))
        }
        let samples = history.samples()
        #expect(samples.count == ServerHistory.bound)
        #expect(history.samples(after: samples[samples.count - 3].time).map(\.time) == samples.suffix(2).map(\.time))
        let last = try #require(samples.last)
        #expect(history.samples(after: last.time).isEmpty)
    }
}
