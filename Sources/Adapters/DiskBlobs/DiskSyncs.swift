package import Domain

/// How long the disk takes to sync files and folders.
///
/// One histogram for the process, because the disk is one for all folders of all apps.
package enum DiskSyncs {
    /// The durations of all calls of `fsync` and `fdatasync`, also of those that failed.
    package static let durations = DurationHistogram(.accesses)
}
