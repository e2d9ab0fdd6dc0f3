internal import Domain
internal import Glibc
internal import Synchronization

/// Copies the committed frames of a write-ahead log to segments in the spool, before SQLite can overwrite them.
///
/// SQLite begins a log anew only after a checkpoint copied all of it, and ``CommitWatch`` makes the checkpoints: it
/// calls ``advance()`` before each. So frames are lost only to another program's checkpoint, or when the spool cannot be
/// written; both are noticed, because the place in the log does not fit any more. Thread-safe.
final class LogCapture: Sendable {
    /// A commit, as the watch saw it.
    private struct Commit {
        let end: CommitMark.Place
        /// The end of the log before it was begun anew.
        let previous: CommitMark.Place?
        let time: Timestamp
    }

    private struct State {
        var spool: Spool?
        var reader: WALReader?
        var draft: SegmentDraft?
        /// The sizes of the segments that were sealed and not released.
        var sealed: Int64 = 0
        var loss: String?
    }

    /// Where segments are written, and how much.
    private struct Spool {
        let folder: String
        let maxSize: Int64
        var drafts = 0
    }

    private struct Announced {
        var last: Commit?
        /// The time of the first commit that no segment has, by the clock.
        var oldest: Timestamp?
    }

    private let log: String
    private let announced = Mutex(Announced())
    private let state = Mutex(State())

    /// The frames that are read while a commit cannot begin a checkpoint.
    private static let framesAtATime: UInt32 = 256

    /// Creates the capture of a database's log, which captures nothing yet.
    init(database: String) {
        log = database + "-wal"
    }

    // MARK: Calls of the writer

    /// Notes a commit; the writer waits.
    func committed(_ end: CommitMark.Place, previous: CommitMark.Place?) {
        announced.withLock { announced in
            let now = Timestamp.now()
            // The clock can be set back; names of segments keep their order.
            let time = max(now, announced.last?.time ?? now)
            announced.last = Commit(end: end, previous: previous, time: time)
            if announced.oldest == nil { announced.oldest = now }
        }
    }

    /// Begins at the last commit; no writer runs.
    ///
    /// - Returns: The time, which is later than `floor` even if the clock was set back.
    func begin(spool folder: String, maxSize: Int64, after floor: Timestamp?) throws -> Timestamp {
        try state.withLock { state in
            state = State()
            let commit = announced.withLock { announced in
                announced.oldest = nil
                if let last = announced.last, let floor, last.time <= floor {
                    let time = Timestamp(milliseconds: floor.milliseconds + 1)
                    announced.last = Commit(end: last.end, previous: last.previous, time: time)
                }
                return announced.last
            }
            guard let commit, let reader = try WALReader(log), reader.header.salts == commit.end.salts else {
                throw OpenFailure(message: "has no write-ahead log that can be followed")
            }
            try reader.skip(to: commit.end.frames)
            state.reader = reader
            state.spool = Spool(folder: folder, maxSize: maxSize)
            return commit.time
        }
    }

    /// Ends the segment at the last commit; no writer runs.
    ///
    /// - Returns: The segment; `nil` if it would have no page.
    func cut() -> CutSegment? {
        advance()
        return state.withLock { state in
            guard let draft = state.draft, draft.databasePages > 0 else { return nil }
            state.draft = nil
            state.sealed += draft.size
            return announced.withLock { announced in
                let time = announced.last?.time ?? .now()
                defer { announced.oldest = nil }
                return CutSegment(
                    path: draft.path,
                    size: draft.size,
                    pageSize: draft.pageSize,
                    databasePages: draft.databasePages,
                    oldest: announced.oldest ?? time,
                    time: time
                )
            }
        }
    }

    // MARK: Calls from any thread

    /// Reads all frames up to the last commit.
    func advance() {
        while state.withLock({ state in advance(&state) }) {}
    }

    /// Notes that a commit could not be followed.
    func lose(_ reason: String) {
        state.withLock { state in LogCapture.end(&state, reason) }
    }

    /// Ends the capture.
    func end() {
        state.withLock { state in LogCapture.end(&state, nil) }
    }

    /// Counts the bytes of sealed segments no more, which the caller shipped or removed.
    func release(_ size: Int64) {
        state.withLock { $0.sealed = max(0, $0.sealed - size) }
    }

    /// Whether the capture has begun and did not end.
    var isFollowing: Bool { state.withLock { $0.spool != nil } }

    var progress: CaptureProgress {
        var progress = CaptureProgress()
        let isFollowing = state.withLock { state in
            progress.size = state.draft.map(\.size) ?? 0
            progress.loss = state.loss
            return state.spool != nil
        }
        if isFollowing { progress.oldest = announced.withLock(\.oldest) }
        return progress
    }

    /// Reads some frames; `false` if there are no more.
    private func advance(_ state: inout State) -> Bool {
        guard state.spool != nil, let commit = announced.withLock(\.last) else { return false }
        do {
            return try read(to: commit, &state)
        } catch {
            LogCapture.end(&state, "\(error)")
            return false
        }
    }

    private func read(to commit: Commit, _ state: inout State) throws -> Bool {
        let reader = try reader(for: commit, &state)
        guard reader.count < commit.end.frames else { return false }
        let draft = try state.draft ?? newDraft(pageSize: reader.header.pageSize, &state)
        state.draft = draft
        // Frames behind the last commit can be overwritten without new salts, so they are not even read ahead.
        let end = min(commit.end.frames, reader.count + LogCapture.framesAtATime)
        while reader.count < end {
            let frame = try reader.next(upTo: end) { frame, page in
                try draft.add(frame.page, page)
                return frame
            }
            guard let frame else {
                throw OpenFailure(message: "the log was changed by another program at frame \(reader.count + 1)")
            }
            if frame.isCommit { draft.databasePages = frame.databaseSize }
        }
        if let spool = state.spool, draft.size + state.sealed > spool.maxSize {
            throw OpenFailure(message: "more than \(spool.maxSize) bytes of changes wait for the target")
        }
        return reader.count < commit.end.frames
    }

    /// The reader of the log to which a commit belongs.
    private func reader(for commit: Commit, _ state: inout State) throws -> WALReader {
        guard let reader = state.reader else { throw OpenFailure(message: "the log is not followed") }
        if reader.header.salts == commit.end.salts { return reader }
        let place = CommitMark.Place(salts: reader.header.salts, frames: reader.count)
        guard place == commit.previous else {
            throw OpenFailure(message: "the log was begun anew before all of it was read")
        }
        guard let next = try WALReader(log), next.header.salts == commit.end.salts else {
            throw OpenFailure(message: "the log was replaced by another program")
        }
        state.reader = next
        return next
    }

    private func newDraft(pageSize: Int, _ state: inout State) throws -> SegmentDraft {
        guard let spool = state.spool else { throw OpenFailure(message: "the log is not followed") }
        state.spool?.drafts += 1
        return try SegmentDraft("\(spool.folder)/\(spool.drafts + 1)", pageSize: pageSize)
    }

    private static func end(_ state: inout State, _ reason: String?) {
        guard state.spool != nil else { return }
        if let draft = state.draft { unlink(draft.path) }
        state = State()
        state.loss = reason
    }
}
