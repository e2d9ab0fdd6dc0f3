internal import Domain

/// The rules that say which snapshots stay; a snapshot stays if one of them keeps it.
///
/// They mean what restic's options of the same names mean. Days, ISO weeks and months are those of UTC.
package struct RetentionRules: Sendable, Equatable {
    /// The number of the newest snapshots that stay.
    package var last = 0
    /// The number of days, of those with snapshots, whose newest snapshot stays.
    package var daily = 0
    /// The same of weeks, from Monday.
    package var weekly = 0
    /// The same of months.
    package var monthly = 0

    /// Creates rules that keep nothing.
    package init() {}

    /// Whether no rule keeps a snapshot.
    package var isEmpty: Bool { self == RetentionRules() }

    /// Selects the snapshots that stay.
    ///
    /// The newest snapshot and the newest without damage always stay. While a rule has not found as many days, weeks or
    /// months as it may keep, it also keeps the oldest snapshot, as restic does: its history begins there.
    ///
    /// - Parameter snapshots: The times of an app's snapshots, with whether damaged files were left out.
    /// - Returns: The times that stay.
    func kept(of snapshots: [(time: Timestamp, isComplete: Bool)]) -> Set<Timestamp> {
        let times = snapshots.map(\.time).sorted(by: >)
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
