internal import Domain

/// The rules that say which snapshots and generations stay; a snapshot stays if one of them keeps it.
///
/// The rules for snapshots mean what restic's options of the same names mean. Days, ISO weeks and months are those of
/// UTC.
package struct RetentionRules: Sendable, Equatable {
    /// The number of the newest snapshots that stay.
    package var last = 0
    /// The number of days, of those with snapshots, whose newest snapshot stays.
    package var daily = 0
    /// The same of weeks, from Monday.
    package var weekly = 0
    /// The same of months.
    package var monthly = 0
    /// The seconds before now whose every moment stays restorable, as far as the continuous backup has it; `nil` for
    /// ``defaultMoments``.
    package var moments: Int64?

    /// The default of ``moments``: 7 days.
    package static let defaultMoments: Int64 = 7 * 86_400

    /// Creates rules that keep nothing.
    package init() {}

    /// Whether there is no rule.
    package var isEmpty: Bool { self == RetentionRules() }
    /// Whether there is a rule for snapshots; without one, all of them stay.
    private var selectsSnapshots: Bool { last > 0 || daily > 0 || weekly > 0 || monthly > 0 }

    /// Selects the snapshots that stay.
    ///
    /// The newest snapshot and the newest without damage always stay. While a rule has not found as many days, weeks or
    /// months as it may keep, it also keeps the oldest snapshot, as restic does: its history begins there.
    ///
    /// - Parameter snapshots: The times of an app's snapshots, with whether damaged files were left out.
    /// - Returns: The times that stay.
    func kept(of snapshots: [(time: Timestamp, isComplete: Bool)]) -> Set<Timestamp> {
        let times = snapshots.map(\.time).sorted(by: >)
        guard selectsSnapshots else { return Set(times) }
        var kept = Set(times.prefix(max(1, last)))
        if let complete = snapshots.filter(\.isComplete).map(\.time).max() { kept.insert(complete) }
        for (count, period) in [(daily, Self.day), (weekly, Self.week), (monthly, Self.month)] {
            var rest = count
            var current: Int64?
            for time in times where rest > 0 {
                let number = period(time)
                guard number != current || time == times.last else { continue }
                kept.insert(time)
                current = number
                rest -= 1
            }
        }
        return kept
    }

    /// Selects the generations that stay: the newest that has all moments to keep, and all later ones.
    ///
    /// While the base of a generation was stored, only the one before it took the moments one by one: a generation has
    /// them from its first segment on. Without a segment, a restore uses the one before it until the next one begins. The
    /// newest always stays.
    ///
    /// - Parameters:
    ///   - generations: The times of the bases of an app's whole generations, and of the last commits in their first
    ///     segments; `nil` without one.
    ///   - now: The current time.
    /// - Returns: The times of the bases that stay.
    func kept(
        ofGenerations generations: [(begin: Timestamp, firstSegment: Timestamp?)],
        now: Timestamp
    ) -> Set<Timestamp> {
        let begin = now.adding(milliseconds: -(moments ?? RetentionRules.defaultMoments) * 1000)
        let sorted = generations.sorted { $0.begin < $1.begin }
        var first: Timestamp?
        for (index, generation) in sorted.enumerated() where generation.begin <= begin {
            let next = index + 1 < sorted.count ? sorted[index + 1].begin : nil
            guard let complete = [generation.firstSegment, next].compactMap(\.self).min() else { continue }
            if complete <= begin { first = generation.begin }
        }
        return Set(sorted.map(\.begin).filter { time in first.map { time >= $0 } ?? true })
    }

    private static func day(_ time: Timestamp) -> Int64 {
        let length: Int64 = 86_400_000
        let (quotient, remainder) = time.milliseconds.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// 1970-01-01 was a Thursday.
    private static func week(_ time: Timestamp) -> Int64 {
        (day(time) + 3) / 7
    }

    private static func month(_ time: Timestamp) -> Int64 {
        Int64(time.iso8601.prefix(7).filter { $0 != "-" }) ?? 0
    }
}
