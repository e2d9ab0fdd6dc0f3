/// Captures the changes of an app's database while a server writes it, for its continuous backup.
///
/// Writers never wait for the place that keeps the backup, and never fail because of the capture. A capture that cannot
/// follow has lost its place: it ends, ``CaptureProgress/loss`` has the reason, and a new generation must begin.
///
/// Every call blocks. ``begin(copyingTo:spool:maxSize:after:)`` and ``seal(number:previous:)`` are for one thread at a time,
/// the others for any.
package protocol ChangeCapture: AnyObject, Sendable {
    /// Copies the database at one moment, and captures the changes after this moment from then on.
    ///
    /// What an earlier call began ends. Writers wait for the beginning of the copy, not for the copy.
    ///
    /// - Parameters:
    ///   - path: The copy, which must not exist: the pages with their numbers in the original, not synced.
    ///   - spool: A folder for the segments.
    ///   - maxSize: The size in bytes of all captured changes at which the capture loses its place.
    ///   - floor: The moment is later than this one, also if the clock was set back; `nil` for no such limit.
    /// - Returns: The moment.
    /// - Throws: ``OpenFailure``; nothing is captured then.
    func begin(
        copyingTo path: String,
        spool: String,
        maxSize: Int64,
        after floor: Timestamp?
    ) throws(OpenFailure) -> Timestamp

    /// Reads what was committed since the last call, so that a checkpoint has little left to read.
    func advance()

    /// Ends a segment with all changes that were answered before the call.
    ///
    /// - Parameters:
    ///   - number: The number of the segment.
    ///   - previous: The digest of the file before it.
    /// - Returns: The segment, whose files belong to the caller; `nil` if nothing was committed.
    /// - Throws: ``OpenFailure``; the capture has lost its place then.
    func seal(number: Int, previous: [UInt8]) throws(OpenFailure) -> SealedSegment?

    /// Whether the database currently has the record of a file; `true` if it is unknown.
    func has(_ file: FileEntry) -> Bool

    /// Counts the bytes of a segment no more, because the caller removes its files.
    func release(_ segment: SealedSegment)

    /// Ends the capture and removes what it holds.
    func end()

    /// What the capture holds.
    var progress: CaptureProgress { get }
}

/// What a capture holds at a moment.
package struct CaptureProgress: Sendable, Equatable {
    /// The size in bytes of the changes that no segment has yet.
    package var size: Int64 = 0
    /// The time of the first commit that no segment has yet; `nil` if there is none.
    package var oldest: Timestamp?
    /// Why the capture lost its place; `nil` while it follows.
    package var loss: String?

    /// Creates the progress of a capture that holds nothing.
    package init() {}
}

/// A segment in the spool.
package struct SealedSegment: Sendable, Equatable {
    /// The file of the segment, in the format of ``SegmentHeader``; not synced.
    package let path: String
    /// The file with a ``FileLine`` for each new file whose bytes the segment needs, and for some that only the next one
    /// needs; `nil` if there are none.
    package let files: String?
    /// The size of the segment's file in bytes.
    package let size: Int64
    /// The number and the time of the last commit; without the list of blobs, which is made when they are stored.
    package let name: SegmentName
    /// The time of the first commit.
    package let oldest: Timestamp
    /// The digest at the end of the file.
    package let digest: [UInt8]

    /// Creates the description of a segment.
    package init(path: String, files: String?, size: Int64, name: SegmentName, oldest: Timestamp, digest: [UInt8]) {
        self.path = path
        self.files = files
        self.size = size
        self.name = name
        self.oldest = oldest
        self.digest = digest
    }
}
