internal import Logging
internal import Synchronization

/// The rounds: all rows, then all blobs in the order of their files' ids.
extension Scrubber {
    /// The number of rows of a page.
    static let rowPageSize = 500
    private static let filePageSize = 64
    /// The least time between two stored positions.
    private static let saveInterval = Duration.seconds(10)
    private static let retryPause = Duration.seconds(60)

    /// Runs one round after the other, each at its time, until the task is cancelled.
    func runRounds(_ report: @escaping @Sendable (ScrubProgress) -> Void) async {
        var isFailing = false
        while !Task.isCancelled {
            do {
                try await runNextRound(report)
                isFailing = false
            } catch is CancellationError {
                return
            } catch {
                if !isFailing { log(.error, "The scrubber cannot continue and tries again: \(error)") }
                isFailing = true
                try? await Task.sleep(for: Scrubber.retryPause)
            }
        }
    }

    /// Waits for the time of the next round unless one was interrupted, and runs it.
    func runNextRound(_ report: @escaping @Sendable (ScrubProgress) -> Void) async throws {
        var state = try await parts.journal.load() ?? ScrubState()
        show(state, of: 0)
        pass(to: report)
        if !state.isRunning {
            if let next = state.nextRound(days: parts.settings.days) {
                // The clock can have been set; a round never waits longer than a whole one takes.
                let rest = min(Double(next.milliseconds - Timestamp.now().milliseconds) / 1000, days)
                if rest > 0 { try await Task.sleep(for: .seconds(rest)) }
            }
            state.begin(at: .now())
            try await parts.journal.save(state)
        }
        try await scrubRows(&state, report)
        do {
            try await scrubBlobs(&state, report)
        } catch let error as ServiceError where error.code == .storageDamaged {
            // A record was damaged after its row was compared: the rows tell which one.
            (state.hasRows, state.rows) = (false, nil)
            try await parts.journal.save(state)
            throw error
        }
        state.end(at: .now())
        try await parts.journal.save(state)
        show(state, of: 0)
        pass(to: report)
        log(.info, "The scrubber has read all \(state.files) files, \(state.bytes) bytes")
    }

    /// The time of a round in seconds.
    private var days: Double { parts.settings.days * 86_400 }

    private func scrubRows(_ state: inout ScrubState, _ report: (ScrubProgress) -> Void) async throws {
        var saved = ContinuousClock.now
        while !state.hasRows {
            let began = ContinuousClock.now
            let page = try await parts.rows.inspectRows(after: state.rows, limit: Scrubber.rowPageSize)
            for row in page.damaged { try await settle(row, behind: state.rows) }
            if !page.damaged.isEmpty { try await count() }
            state.rows = page.next
            state.hasRows = page.next == nil
            try await save(state, since: &saved)
            pass(to: report)
            try await Task.sleep(for: (ContinuousClock.now - began) * ScrubPace.restFactor)
        }
    }

    private func scrubBlobs(_ state: inout ScrubState, _ report: (ScrubProgress) -> Void) async throws {
        var saved = ContinuousClock.now
        while true {
            let position = state.file
            let (objects, total) = try await parts.store.read { reader in
                (try reader.files(after: position, limit: Scrubber.filePageSize), try reader.usage().bytes)
            }
            guard let last = objects.last else { return }
            let settings = parts.settings
            let pace = ScrubPace(bytes: total, days: settings.days, least: settings.minRate)
            for object in objects {
                state.file = object.id
                guard let file = FileEntry(record: object) else { continue }
                try await scrub(file, isKnown: object.isDamaged, pace)
                state.files += 1
                state.bytes += file.facts.size
                show(state, of: total)
                pass(to: report)
                try await save(state, since: &saved)
            }
            state.file = last.id
        }
    }

    private func scrub(_ file: FileEntry, isKnown: Bool, _ pace: ScrubPace) async throws {
        let condition = try await parts.blobs.inspect(file) { [self] bytes, time in
            progress.withLock { $0.bytes += bytes }
            try await Task.sleep(for: pace.pause(after: bytes, taking: time))
        }
        progress.withLock { $0.blobs += 1 }
        try await settle(file, condition, isKnown: isKnown)
        if condition != .whole || isKnown { try await count() }
    }

    private func save(_ state: ScrubState, since saved: inout ContinuousClock.Instant) async throws {
        guard ContinuousClock.now - saved >= Scrubber.saveInterval else { return }
        try await parts.journal.save(state)
        saved = .now
    }

    private func show(_ state: ScrubState, of total: Int64) {
        progress.withLock { progress in
            progress.lastRound = state.ended
            progress.share = state.isRunning && total > 0 ? min(1, Double(state.bytes) / Double(total)) : 1
            if state.isRunning, total == 0 { progress.share = 0 }
        }
    }
}

extension ReadTransaction {
    /// File records in the order of their ids, behind an id; without those that are known to be damaged.
    fileprivate func files(after id: ObjectID?, limit: Int) throws -> [StoredObject] {
        let path = FieldPath(field: "objectId")
        var conditions = id.map { [Condition.field(path, .compares(.greater, .string($0.description)))] } ?? []
        let damaged = try damagedRecords()
        if !damaged.isEmpty {
            conditions.append(.field(path, .not(.isIn(ValueSet(damaged.map { JSONValue.string($0) })))))
        }
        return try find(
            ObjectQuery(.file, where: .all(conditions), order: [SortKey(path)], page: Page(first: limit))
        )
    }
}
