internal import Glibc

/// One side of a measure: carries out one call and says how much it found.
typealias Side = @Sendable (_ call: Int) async throws -> Int

/// The same work on both sides.
struct Measure: Sendable {
    let name: String
    /// How many calls a round has.
    let calls: Int
    let store: Side
    let sql: Side

    /// How often each side is measured.
    static let rounds = 3

    /// Microseconds a call, one call after the other, the sides in turns.
    func timed() async throws -> Comparison {
        var mine: [Double] = []
        var other: [Double] = []
        // The first round warms up.
        for round in 0...Measure.rounds {
            let isStoreFirst = round.isMultiple(of: 2)
            let early = try await pass(isStoreFirst ? store : sql, round)
            let late = try await pass(isStoreFirst ? sql : store, round)
            guard early.found == late.found, early.found > 0 else {
                throw Failure("\(name): one side found \(early.found), the other \(late.found)")
            }
            if round == 0 { continue }
            mine.append(isStoreFirst ? early.time : late.time)
            other.append(isStoreFirst ? late.time : early.time)
        }
        return Comparison(name: name, unit: "us", mine: mine.median, other: other.median, otherName: "SQL")
    }

    /// Calls a second with several tasks at once, the sides in turns.
    func rates(tasks: Int) async throws -> Comparison {
        var mine: [Double] = []
        var other: [Double] = []
        for _ in 0..<Measure.rounds {
            mine.append(try await rate(of: store, tasks: tasks, seconds: 1))
            other.append(try await rate(of: sql, tasks: tasks, seconds: 1))
        }
        return Comparison(
            name: "\(name), \(tasks) at once",
            unit: "/s",
            mine: mine.median,
            other: other.median,
            otherName: "SQL"
        )
    }

    private func pass(_ side: Side, _ round: Int) async throws -> (time: Double, found: Int) {
        var found = 0
        let start = ContinuousClock.now
        for call in 0..<calls { found += try await side(round * calls + call) }
        let elapsed = ContinuousClock.now - start
        return (elapsed / Duration.microseconds(1) / Double(calls), found)
    }
}

/// Calls a second of so many tasks, each of which calls again as soon as it was answered.
func rate(of side: @escaping Side, tasks: Int, seconds: Double) async throws -> Double {
    let start = ContinuousClock.now
    let end = start + Duration.seconds(seconds)
    let total = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
        for task in 0..<tasks {
            group.addTask {
                var calls = 0
                while ContinuousClock.now < end {
                    guard try await side(task + calls * tasks) > 0 else { throw Failure("a call found nothing") }
                    calls += 1
                }
                return calls
            }
        }
        var sum = 0
        for try await calls in group { sum += calls }
        return sum
    }
    return Double(total) / ((ContinuousClock.now - start) / Duration.seconds(1))
}

/// Two figures and their ratio, printed as `Benchmarks/run` prints its own.
struct Comparison: Sendable {
    let name: String
    let unit: String
    let mine: Double
    let other: Double
    let otherName: String

    func report() {
        let figure = mine.fixed(1).indented(to: 10)
        let peer = "\(otherName) \(other.fixed(1).indented(to: 10))"
        print("\(name.padded(to: 46)) \(figure) \(unit.padded(to: 7)) \(peer)   ratio \((mine / other).fixed(2))")
        fflush(nil)
    }
}

extension [Double] {
    /// The middle one; of an even number the higher one.
    var median: Double {
        isEmpty ? 0 : sorted()[count / 2]
    }
}

extension Double {
    fileprivate func fixed(_ digits: Int) -> String {
        guard isFinite else { return "-" }
        let scale = digits == 1 ? 10 : 100
        let scaled = Int((self * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return "\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    fileprivate func indented(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
