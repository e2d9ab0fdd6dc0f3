/// The settings of the scrubber.
package struct ScrubSettings: Sendable, Hashable {
    /// The days in which everything is read once; 0 for no rounds.
    package var days = 30.0
    /// The lowest rate of a round in bytes per second.
    package var minRate: Int64 = 1 << 20
    /// The time between two looks for suspects.
    package var watchInterval = Duration.seconds(2)
    /// The time between two looks at all that is known to be damaged.
    package var recheckInterval = Duration.seconds(60)

    /// Creates the default settings.
    package init() {}
}

/// What a scrubber did since its last report, and what it knows.
package struct ScrubProgress: Sendable, Hashable {
    /// Blobs that were read since the last report.
    package var blobs = 0
    /// Bytes that were read since the last report.
    package var bytes = 0
    /// Blobs that are known to be damaged.
    package var damagedBlobs = 0
    /// Rows that are known to be damaged.
    package var damagedRows = 0
    /// The part of the files' bytes that the current round has read, 0 to 1; 1 while none runs.
    package var share = 0.0
    /// When the last whole round ended; `nil` before.
    package var lastRound: Timestamp?
}
