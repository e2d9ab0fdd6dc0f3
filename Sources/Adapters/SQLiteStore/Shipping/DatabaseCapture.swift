package import Domain
internal import GRDB
internal import Synchronization

/// The capture of an open database (``LogCapture``), with the files whose bytes its segments need.
package final class DatabaseCapture: ChangeCapture {
    private struct NewFiles {
        var entries: [FileEntry] = []
        /// Whether files are missing in the entries.
        var hasMissed = false
    }

    private let database: SQLiteDatabase
    private let files = Mutex(NewFiles())
    private let subscription = Mutex<ChangeSubscription?>(nil)
    /// The list of files of the open segment, written by one thread at a time.
    private let list = Mutex<FileList?>(nil)
    private let log: LogCapture

    /// The number of new files that are in memory; ``advance()`` moves them to the spool.
    private static let maxFiles = 1 << 16
    /// The pages of the base that are copied before ``end()`` is noticed.
    private static let pagesAtATime: CInt = 4096

    /// Creates a capture, which captures nothing yet.
    package init(of database: SQLiteDatabase) {
        self.database = database
        log = database.captures.add()
    }

    deinit {
        subscription.withLock { $0?.cancel() }
        log.end()
        database.captures.remove(log)
    }

    package func begin(
        copyingTo path: String,
        spool: String,
        maxSize: Int64,
        after floor: Timestamp?
    ) throws(OpenFailure) -> Timestamp {
        end()
        subscribe()
        do {
            let pool = database.pool
            let (time, snapshot) = try pool.writeWithoutTransaction { db in
                // A commit that changes nothing, so that the end of the log is known.
                try db.inTransaction(.immediate) {
                    try db.execute(sql: "PRAGMA user_version = 0")
                    return .commit
                }
                // The base has the files of all transactions until now. In this turn of the writer, so that `advance()`
                // finds the list when it finds files of later ones.
                list.withLock { list in
                    files.withLock { $0 = NewFiles() }
                    list = FileList(folder: spool)
                }
                return (try log.begin(spool: spool, maxSize: maxSize, after: floor), try pool.makeSnapshot())
            }
            try copy(snapshot, to: path)
            return time
        } catch let failure as OpenFailure {
            end()
            throw failure
        } catch {
            end()
            throw OpenFailure(message: "cannot be copied (\(DatabaseCopy.line(error)))")
        }
    }

    package func advance() {
        log.advance()
        do {
            // Taken and written under one lock: no file is between the two when a segment is cut.
            try list.withLock { list in
                let new = files.withLock { files in
                    defer { files.entries = [] }
                    return files
                }
                if new.hasMissed {
                    let count = DatabaseCapture.maxFiles
                    throw OpenFailure(message: "more than \(count) wait, or one transaction changed too many")
                }
                try list?.add(new.entries)
            }
        } catch {
            log.lose("the new files cannot be listed (\(error))")
        }
    }

    package func seal(number: Int, previous: [UInt8]) throws(OpenFailure) -> SealedSegment? {
        advance()
        let progress = log.progress
        if let loss = progress.loss { throw OpenFailure(message: loss) }
        guard progress.oldest != nil else { return nil }
        do {
            // In the writer's turn, because a transaction's files are known when its turn ends.
            guard let cut = database.pool.writeWithoutTransaction({ [log] _ in log.cut() }) else { return nil }
            advance()
            // Without the list, the segment would lack bytes.
            if let loss = log.progress.loss { throw OpenFailure(message: loss) }
            let files = list.withLock { $0?.cut() ?? nil }
            let (size, digest) = try cut.finish(number: number, previous: previous)
            return SealedSegment(
                path: cut.path,
                files: files,
                size: size,
                name: SegmentName(number: number, time: cut.time),
                oldest: cut.oldest,
                digest: digest
            )
        } catch {
            let reason = "the segment \(number) cannot be written (\(DatabaseCopy.line(error)))"
            log.lose(reason)
            throw OpenFailure(message: reason)
        }
    }

    package func has(_ file: FileEntry) -> Bool {
        guard let number = database.catalog.current.entries[.file]?.number else { return false }
        let answer = try? database.pool.read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM \(ClassTable(number: number).name) WHERE id = ?)",
                arguments: [file.id.description]
            )
        }
        return answer ?? true
    }

    /// Counts the bytes of a segment no more.
    package func release(_ segment: SealedSegment) {
        log.release(segment.size)
    }

    package func end() {
        subscription.withLock { subscription in
            subscription?.cancel()
            subscription = nil
        }
        log.end()
        list.withLock { $0 = nil }
        files.withLock { $0 = NewFiles() }
    }

    package var progress: CaptureProgress { log.progress }

    /// Hears of files whose bytes are new: created ones, and those that the mirror fetched.
    private func subscribe() {
        let filters = [
            ChangeFilter(.file, [.created], states: [.after]),
            ChangeFilter(.file, [.updated], states: [.before, .after]),
        ]
        let new = database.changes.subscribe(to: filters) { [weak self] event in
            guard case .changes(let changes) = event else {
                self?.files.withLock { $0.hasMissed = true }
                return
            }
            let entries = changes.compactMap { change -> FileEntry? in
                guard let entry = DatabaseCapture.entry(of: change.after) else { return nil }
                // A change of metadata leaves the bytes.
                return DatabaseCapture.entry(of: change.before) == nil ? entry : nil
            }
            self?.add(entries)
        }
        subscription.withLock { $0 = new }
    }

    private static func entry(of state: ObjectState?) -> FileEntry? {
        (try? state?.object()).flatMap { FileEntry(record: $0) }
    }

    private func add(_ entries: [FileEntry]) {
        files.withLock { files in
            if files.entries.count + entries.count > DatabaseCapture.maxFiles {
                files.hasMissed = true
            } else {
                files.entries += entries
            }
        }
    }

    /// Copies the pages; unlike VACUUM, the copy has each page under its number.
    private func copy(_ snapshot: DatabaseSnapshot, to path: String) throws {
        let queue = try DatabaseQueue(path: path)
        // The copy is of no use after a crash.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        try snapshot.backup(to: queue, pagesPerStep: DatabaseCapture.pagesAtATime) { [log] _ in
            if let loss = log.progress.loss { throw OpenFailure(message: loss) }
            if !log.isFollowing { throw OpenFailure(message: "is not captured any more") }
        }
        try queue.close()
        try snapshot.close()
    }
}
