internal import Synchronization

/// The figures of the last hour, in memory of a fixed size; thread-safe.
package final class ServerHistory: Sendable {
    /// The values of one moment.
    package struct Sample: Sendable {
        /// The moment.
        package let time: Timestamp
        /// A value for each of ``HistorySeries``, in their order; `nil` if it is not known.
        package let values: [Double?]
    }

    private struct State {
        var samples = RecentValues<Sample>(bound: ServerHistory.bound)
        var last: (figures: ServerFigures, at: ContinuousClock.Instant)?
    }

    /// The time between two samples in seconds.
    package static let interval = 10
    /// The maximum number of samples: an hour.
    package static let bound = 360

    private let state = Mutex(State())

    /// Creates an empty history.
    package init() {}

    /// Adds a sample; the first figures only are what the next ones are compared with.
    ///
    /// - Parameters:
    ///   - figures: The figures.
    ///   - time: The time for people.
    ///   - instant: The time by which rates are computed.
    package func record(
        _ figures: ServerFigures,
        at time: Timestamp = .now(),
        _ instant: ContinuousClock.Instant = .now
    ) {
        state.withLock { state in
            if let last = state.last {
                let seconds = max(0.001, last.at.duration(to: instant) / .seconds(1))
                let values = HistorySeries.allCases.map { $0.value(from: last.figures, to: figures, in: seconds) }
                state.samples.append(Sample(time: time, values: values))
            }
            state.last = (figures, instant)
        }
    }

    /// The samples after a time, the oldest first.
    package func samples(after time: Timestamp? = nil) -> [Sample] {
        let all = state.withLock { $0.samples.all }
        guard let time else { return all }
        return all.filter { $0.time > time }
    }
}
