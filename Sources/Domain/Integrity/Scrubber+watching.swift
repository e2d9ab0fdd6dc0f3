internal import Logging
internal import Synchronization

/// What showed damage, and what is known to be damaged: both are read at once and not in the order of the round.
extension Scrubber {
    /// The number of known damages that are looked at in one pass, so that a pass ends in seconds.
    private static let recheckLimit = 10_000
    /// The number of known damages that a start logs; the metric counts all.
    private static let reportLimit = 100
    private static let pageSize = 256

    /// Reads suspects as they come, and looks at known damage periodically.
    func watch(_ report: @escaping @Sendable (ScrubProgress) -> Void) async {
        var position: ObjectID?
        var due = ContinuousClock.now
        var isFirst = true
        var isFailing = false
        while !Task.isCancelled {
            do {
                let examined = try await examineSuspects()
                if due <= .now {
                    position = try await recheck(after: position, reporting: isFirst)
                    isFirst = false
                    due = .now + parts.settings.recheckInterval
                    try await count()
                } else if examined > 0 {
                    try await count()
                }
                pass(to: report)
                isFailing = false
            } catch is CancellationError {
                return
            } catch {
                if !isFailing { log(.error, "Damaged files cannot be examined: \(error)") }
                isFailing = true
            }
            await parts.suspects.signal.wait(until: .now + parts.settings.watchInterval)
        }
    }

    /// Reads all suspects; returns their number.
    func examineSuspects() async throws -> Int {
        let named = try await parts.journal.suspects()
        let all = parts.suspects.takeAll().union(named)
        for id in all.sorted() { try await passingDamagedRecord { try await examine(id) } }
        // After the examination: what a kill cuts off is examined again.
        if !named.isEmpty { try await parts.journal.remove(named) }
        return all.count
    }

    /// Reads the blob of a file now.
    func examine(_ id: ObjectID) async throws {
        guard let record = try await parts.store.read({ try $0.object(id, in: .file) }),
            let file = FileEntry(record: record)
        else { return }
        let condition = try await parts.blobs.inspect(file) { [self] bytes, _ in
            progress.withLock { $0.bytes += bytes }
        }
        progress.withLock { $0.blobs += 1 }
        try await settle(file, condition, isKnown: record.isDamaged)
    }

    /// Looks at known damage: reads blobs and rows again that changed, and drops what belongs to deleted files.
    ///
    /// - Parameters:
    ///   - position: The row behind which the pass begins.
    ///   - isReporting: Whether what is still damaged is reported, as at each start.
    /// - Returns: Where the next pass begins; `nil` for the first row.
    /// - Throws: Errors of the store, and those of reading a blob that say nothing about it.
    func recheck(after position: ObjectID?, reporting isReporting: Bool) async throws -> ObjectID? {
        var position = position
        var count = 0
        while count < Scrubber.recheckLimit {
            let start = position
            let page = try await parts.store.read { try $0.knownDamage(after: start, limit: Scrubber.pageSize) }
            guard let last = page.last else { return nil }
            for object in page {
                let isReported = isReporting && count < Scrubber.reportLimit
                try await passingDamagedRecord { try await recheck(object, reporting: isReported) }
                count += 1
            }
            position = last.id
        }
        return position
    }

    private func recheck(_ object: StoredObject, reporting isReporting: Bool) async throws {
        guard let damage = KnownDamage(stored: object) else { return try await drop(object.id) }
        switch damage.kind {
        case .blob:
            let record = try await parts.store.read { reader in
                try damage.file.flatMap { try reader.object($0, in: .file) }
            }
            guard let record, let file = FileEntry(record: record) else { return try await drop(damage.id) }
            guard try await parts.blobs.identity(of: file) != damage.identity || !record.isDamaged else {
                if isReporting { report(file, damage.detail) }
                return
            }
            try await examine(file.id)
        case .row:
            let page = try await parts.rows.inspectRows(after: damage.position, limit: Scrubber.rowPageSize)
            guard let row = page.damaged.first(where: { KnownDamage.subject(of: $0) == damage.subject }) else {
                log(.notice, "A damaged row is whole again: \(damage.subject)")
                return try await drop(damage.id)
            }
            if isReporting { report(row) }
        }
    }

    /// Runs a body about one file, whose record can be damaged, too: then the file is not served, a round reports the row,
    /// and the other files still have to be examined.
    private func passingDamagedRecord(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ServiceError where error.code == .storageDamaged {
            return
        }
    }

    private func drop(_ id: ObjectID) async throws {
        _ = try await parts.store.write { try $0.delete(id, in: .damage) }
    }
}

extension FileEntry {
    /// Reads a record; `nil` if it has no bytes here, or cannot be read.
    package init?(record object: StoredObject) {
        guard object.mirrorState != .missing, let record = try? FileRecord(stored: object) else { return nil }
        self.init(id: record.id, key: record.key, facts: record.facts, replaced: record.replaced)
    }
}
