internal import Domain
internal import Synchronization

/// A generation that takes changes: its capture, its files in the spool, and the end of its chain.
///
/// ``ship()`` and ``end()`` block and are for one thread at a time, the rest is for any.
final class GenerationFeed: Sendable {
    private struct State {
        var link: SegmentLink
        /// The segment that is not in the repository yet.
        var segment: SealedSegment?
        /// The bytes of the segments in the repository.
        var bytes: Int64 = 0
        var damaged: Int
    }

    /// The moment of the base.
    let time: GenerationTime
    /// Captures the changes since the base.
    let capture: any ChangeCapture
    private let scratch: ScratchFolder
    private let shipment: SegmentShipment
    private let state: Mutex<State>
    private let waiting = Mutex<SealedSegment?>(nil)
    /// Not the time of the base, because the clock can be set back.
    private let begun = ContinuousClock.now

    /// Creates the feed of a generation without segments.
    ///
    /// - Parameters:
    ///   - time: The moment of the base.
    ///   - link: The end of the chain: the base.
    ///   - damaged: The number of damaged files that are not in the repository.
    ///   - capture: Captures the changes since the base.
    ///   - scratch: The folder of the segments, which the feed removes when it ends.
    ///   - shipment: Stores segments.
    init(
        of time: GenerationTime,
        after link: SegmentLink,
        lacking damaged: Int,
        capturing capture: any ChangeCapture,
        in scratch: ScratchFolder,
        shipping shipment: SegmentShipment
    ) {
        self.time = time
        self.capture = capture
        self.scratch = scratch
        self.shipment = shipment
        state = Mutex(State(link: link, damaged: damaged))
    }

    /// Stores the segment that waits, otherwise the changes since the last one.
    ///
    /// - Returns: The descriptions of damaged files that the segment lacks; `nil` if there was no change.
    /// - Throws: ``OpenFailure`` if the capture has lost its place, ``ExitError`` or ``BackupTargetFailure``; the next
    ///   call stores the same segment again.
    func ship() throws -> [String]? {
        try state.withLock { state in
            if state.segment == nil {
                state.segment = try capture.seal(number: state.link.number + 1, previous: state.link.digest)
                waiting.withLock { $0 = state.segment }
            }
            guard let segment = state.segment else { return nil }
            let damage = try shipment.run(segment, of: time)
            state.link = SegmentLink(after: segment)
            state.bytes += segment.size
            state.damaged += damage.count
            drop(&state)
            return damage
        }
    }

    /// Ends the capture and removes all files.
    func end() {
        state.withLock { state in
            capture.end()
            drop(&state)
            scratch.remove()
        }
    }

    /// The number of files that the repository lacks because of damage.
    var damaged: Int { state.withLock(\.damaged) }

    /// Why the capture lost its place; `nil` while it follows.
    var loss: String? { capture.progress.loss }

    /// The time of the first commit that the repository lacks, and the bytes that wait.
    var lag: (oldest: Timestamp?, bytes: Int64) {
        let progress = capture.progress
        let segment = waiting.withLock(\.self)
        return (segment?.oldest ?? progress.oldest, progress.size + (segment?.size ?? 0))
    }

    /// Whether another generation is to follow this one, so that a restore has less to replay.
    func isOld(by settings: ContinuousBackupSettings) -> Bool {
        ContinuousClock.now - begun > .seconds(settings.renewAfter * 3600)
            || state.withLock(\.bytes) > settings.renewAfterSize
    }

    private func drop(_ state: inout State) {
        guard let segment = state.segment else { return }
        SegmentShipment.removeFiles(of: segment)
        capture.release(segment)
        state.segment = nil
        waiting.withLock { $0 = nil }
    }
}
