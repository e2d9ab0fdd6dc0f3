/// The settings of the continuous backup.
package struct ContinuousBackupSettings: Sendable, Hashable {
    /// The seconds between two segments.
    package var interval = 2
    /// The bytes of changes that wait for a target; with more, they are dropped and a new generation begins.
    package var maxWaiting: Int64 = 1 << 30
    /// The hours after which a new generation begins.
    package var renewAfter = 24
    /// The bytes of segments after which a new generation begins, so that a restore has less to replay.
    package var renewAfterSize: Int64 = 10 << 30

    /// Creates the default settings.
    package init() {}
}
