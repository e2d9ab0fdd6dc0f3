/// Sends the items of sources to a server, each exactly once, over as many processes as it takes.
///
/// Memory holds one page of items and the batches that are being sent, independent of the source's size.
package struct MigrationRun: Sendable {
    /// What a batch contains.
    package struct BatchLimit: Sendable, Hashable {
        /// The maximum number of items, at least 1.
        package let items: Int
        /// The number of bytes after which no item is added; a batch has at least one item.
        package let bytes: Int64

        /// Creates a limit.
        package init(items: Int, bytes: Int64 = .max) {
            self.items = items
            self.bytes = bytes
        }

        /// Each item by itself.
        package static let one = BatchLimit(items: 1)
    }

    /// What the migration has done.
    package let journal: Journal
    private let observer: any MigrationObserver
    private let concurrency: Int
    private let rules: RepeatRules

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - observer: Learns how the run proceeds.
    ///   - concurrency: The maximum number of batches at the same time.
    ///   - rules: Which items are sent again.
    package init(_ journal: Journal, _ observer: any MigrationObserver, concurrency: Int, repeating rules: RepeatRules)
    {
        self.journal = journal
        self.observer = observer
        self.concurrency = concurrency
        self.rules = rules
    }

    /// Sends all items of a source that are not on the server yet.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items.
    ///   - limit: What a batch contains.
    ///   - open: Opens the source.
    ///   - send: Sends a batch and returns the end of each item, in order.
    /// - Throws: The error that stopped the migration, for which items wait; `CancellationError`; ``MigrationError`` if
    ///   the journal cannot be written; the errors of the source.
    package func send<Source: ItemSource>(
        _ kind: String,
        inBatchesOf limit: BatchLimit = .one,
        from open: @escaping @Sendable () throws -> Source,
        by send: @escaping @Sendable (_ batch: [PlannedItem<Source.Item>], BatchProgress) async -> [ItemEnd]
    ) async throws {
        observer.began(kind)
        let (journal, rules) = (journal, rules)
        let plan = ItemPlan(SourceReader(open), kind, limit, journal, observer) { items in
            try await journal.begin(items, of: kind, repeating: rules)
        }
        try await run(plan, EndLog { try await journal.end($0.map { ($0.entry, $0.end) }) }, send)
    }

    /// Compares all items of a source with what is on the server.
    ///
    /// An item that cannot be compared, because it was not imported or has changed since, counts as a difference.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items.
    ///   - limit: What a batch contains.
    ///   - open: Opens the source.
    ///   - compare: Compares a batch and returns for each item, in order, ``ItemEnd/done`` if the server has it
    ///     unchanged, otherwise ``ItemEnd/failed(_:)`` with the difference.
    /// - Throws: As ``send(_:inBatchesOf:from:by:)``. Differences are in the journal.
    package func verify<Source: ItemSource>(
        _ kind: String,
        inBatchesOf limit: BatchLimit = .one,
        from open: @escaping @Sendable () throws -> Source,
        by compare: @escaping @Sendable (_ batch: [PlannedItem<Source.Item>], BatchProgress) async -> [ItemEnd]
    ) async throws {
        observer.began(kind)
        let journal = journal
        let plan = ItemPlan(SourceReader(open), kind, limit, journal, observer) { items in
            try await journal.known(items, of: kind)
        }
        try await run(
            plan,
            EndLog { try await journal.noteDifferences($0.map { ($0.name, $0.end) }, of: kind) },
            compare
        )
    }

    private func run<Source: ItemSource>(
        _ plan: ItemPlan<Source>,
        _ log: EndLog,
        _ work: @escaping @Sendable (_ batch: [PlannedItem<Source.Item>], BatchProgress) async -> [ItemEnd]
    ) async throws {
        var (plan, log) = (plan, log)
        let observer = observer
        try await withThrowingTaskGroup(of: EndedBatch<Source.Item>.self) { group in
            var running = 0
            var stop: (any Error)?
            var number = 0
            while true {
                while running < concurrency, stop == nil, !Task.isCancelled, let batch = try await plan.nextBatch() {
                    let progress = BatchProgress(batch: number, observer: observer)
                    group.addTask {
                        observer.began(progress.batch, batch[0].item.name)
                        return EndedBatch(number: progress.batch, items: batch, ends: await work(batch, progress))
                    }
                    number += 1
                    running += 1
                }
                guard let ended = try await group.next() else { break }
                running -= 1
                for (planned, end) in zip(ended.items, ended.ends) {
                    observer.ended(planned.item.name, of: plan.kind, bytes: planned.item.size ?? 0, end)
                    if case .stopped(let error) = end { stop = stop ?? error }
                    log.add(LoggedEnd(entry: planned.entry, name: planned.item.name, end: end))
                }
                observer.ended(ended.number)
                try await log.writeIfDue()
            }
            try await log.write()
            if let stop { throw stop }
        }
        try Task.checkCancellation()
    }
}

/// An item with its entry in the journal.
package struct PlannedItem<Item: MigrationItem>: Sendable {
    /// What the journal knows.
    package let entry: JournalEntry
    /// The item.
    package let item: Item
}

/// Takes the progress of one batch.
package struct BatchProgress: Sendable {
    fileprivate let batch: Int
    fileprivate let observer: any MigrationObserver

    /// Notes the number of bytes that have been sent.
    package func sent(_ bytes: Int64) { observer.sent(bytes, of: batch) }
}

private struct EndedBatch<Item: MigrationItem>: Sendable {
    let number: Int
    let items: [PlannedItem<Item>]
    let ends: [ItemEnd]
}

private struct LoggedEnd: Sendable {
    let entry: JournalEntry
    let name: String
    let end: ItemEnd
}

/// The ends that are not in the journal yet: one transaction for many of them is cheaper, and if the process is killed
/// before it, the server knows these items.
private struct EndLog {
    private let store: @Sendable ([LoggedEnd]) async throws -> Void
    private var ends: [LoggedEnd] = []
    private var written = ContinuousClock.now

    init(_ store: @escaping @Sendable ([LoggedEnd]) async throws -> Void) {
        self.store = store
    }

    mutating func add(_ end: LoggedEnd) {
        ends.append(end)
    }

    mutating func writeIfDue() async throws {
        if ends.count >= 200 || ContinuousClock.now - written > .milliseconds(250) { try await write() }
    }

    mutating func write() async throws {
        written = .now
        guard !ends.isEmpty else { return }
        try await store(ends)
        ends = []
    }
}
