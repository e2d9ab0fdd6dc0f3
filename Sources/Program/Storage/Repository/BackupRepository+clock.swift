internal import Domain

/// Times that are later than the clock. States are ordered by their times, so a new snapshot gets a later time than one of
/// a clock that was ahead.
extension BackupRepository {
    /// The seconds by which a state can be later than the clock of this machine, because clocks differ.
    static let clockTolerance = 3600

    /// The time after which a state shows that a clock is wrong.
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

    /// The earliest time for new snapshots: just after the newest one of any app, however far ahead of the clock it is.
    ///
    /// So snapshots stay in the order in which their backups began, also those of different apps: the newest manifest
    /// says which apps a storage had. It is later by a millisecond for each second since the newest one was stored, so that
    /// of two backups that overlap the later one gets the later time, and the clock still passes the times.
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read.
    func earliestSnapshotTime() throws -> Timestamp {
        let now = Timestamp.now()
        let newest = try apps().compactMap { try parts(of: $0).max { $0.key < $1.key } }.max { $0.key < $1.key }
        guard let newest, newest.key.timestamp >= now else { return now }
        let stored = newest.value.map(\.modified).max() ?? 0
        let seconds = min(max(0, now.milliseconds / 1000 - stored), 86_400)
        return newest.key.timestamp.adding(milliseconds: 1 + seconds)
    }

    /// The snapshots of an app that were stored after the one with the latest name, by the clock of the target, if that
    /// name is later than the clock by more than an hour.
    ///
    /// Earlier versions named snapshots by the clock alone, so their names need not have the order of making.
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read.
    func snapshotsOutOfOrder(of app: AppID, now: Timestamp) throws -> Set<Timestamp> {
        let manifest = SnapshotPart.manifest
        let layout = BackupLayout(app)
        var stored: [SnapshotTime: Int64] = [:]
        for (time, objects) in try parts(of: app) {
            let name = layout.object(manifest, of: time)
            stored[time] = objects.first { $0.name == name }?.modified
        }
        guard let newest = stored.max(by: { $0.key < $1.key }),
            newest.key.timestamp > BackupRepository.clockLimit(now)
        else { return [] }
        return Set(stored.filter { $0.value > newest.value }.map(\.key.timestamp))
    }
}
