internal import Domain

/// Times that are later than the clock. States are ordered by the clocks of the machines that made them, so one of a clock
/// that was ahead looks like the newest.
extension BackupRepository {
    /// The seconds by which a state can be later than the clock of this machine, because clocks differ.
    static let clockTolerance = 3600

    /// The time before which states are in order.
    static func clockLimit(_ now: Timestamp) -> Timestamp { now.adding(seconds: clockTolerance) }

    /// The snapshots and generations that are later than the clock of this machine by more than an hour, such as
    /// "snapshot app 20270112T030000.123Z".
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read.
    package func statesAheadOfClock() throws -> [String] {
        let limit = BackupRepository.clockLimit(.now())
        var states: [String] = []
        for app in try apps() {
            for time in try parts(of: app).keys.sorted() where time.timestamp > limit {
                states.append("snapshot \(app) \(time)")
            }
            for time in try generationTimes(of: app) where time.timestamp > limit {
                states.append("generation \(app) \(time)")
            }
        }
        return states
    }

    /// The time for a new snapshot of an app: now, or just after the newest one if that is up to an hour later.
    ///
    /// So snapshots of machines whose clocks differ stay in the order in which they were made.
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read.
    func nextSnapshotTime(of app: AppID) throws -> SnapshotTime {
        let now = Timestamp.now()
        let limit = BackupRepository.clockLimit(now)
        let newest = try parts(of: app).keys.map(\.timestamp).filter { $0 <= limit }.max()
        return SnapshotTime(max(now, newest?.adding(milliseconds: 1) ?? now))
    }
}
