/// Reads a source in pages, asks the journal about each item, and forms batches of those that have to be processed.
struct ItemPlan<Source: ItemSource> {
    /// The number of elements of a page.
    static var pageSize: Int { 500 }

    private let reader: SourceReader<Source>
    let kind: String
    private let limit: MigrationRun.BatchLimit
    private let journal: Journal
    private let look: @Sendable ([Source.Item]) async throws -> [Standing]
    private let observer: any MigrationObserver
    private var waiting: ArraySlice<PlannedItem<Source.Item>> = []
    private var isAtEnd = false

    init(
        _ reader: SourceReader<Source>,
        _ kind: String,
        _ limit: MigrationRun.BatchLimit,
        _ journal: Journal,
        _ observer: any MigrationObserver,
        looking look: @escaping @Sendable ([Source.Item]) async throws -> [Standing]
    ) {
        self.reader = reader
        self.kind = kind
        self.limit = limit
        self.journal = journal
        self.look = look
        self.observer = observer
    }

    /// The next batch; `nil` after the last one.
    mutating func nextBatch() async throws -> [PlannedItem<Source.Item>]? {
        while waiting.count < limit.items, !isAtEnd { try await readPage() }
        var batch: [PlannedItem<Source.Item>] = []
        var bytes: Int64 = 0
        while batch.count < limit.items, bytes < limit.bytes, let next = waiting.first {
            let size = next.item.size ?? 0
            guard batch.isEmpty || bytes + size <= limit.bytes else { break }
            bytes += size
            batch.append(next)
            waiting = waiting.dropFirst()
        }
        return batch.isEmpty ? nil : batch
    }

    private mutating func readPage() async throws {
        let elements = try await reader.page(Self.pageSize)
        guard !elements.isEmpty else {
            isAtEnd = true
            return
        }
        var items: [Source.Item] = []
        for element in elements {
            switch element {
            case .item(let item): items.append(item)
            case .unusable(let name, let reason):
                try await journal.refuse(name, of: kind, because: reason)
                observer.passed(name, of: kind, bytes: 0, .unusable(reason))
            }
        }
        let standings = try await look(items)
        var found = Array(waiting)
        for (item, standing) in zip(items, standings) {
            guard case .toDo(let entry) = standing else {
                try await pass(item, standing)
                continue
            }
            found.append(PlannedItem(entry: entry, item: item))
        }
        waiting = found[...]
    }

    private func pass(_ item: Source.Item, _ standing: Standing) async throws {
        let reason: PassedReason
        switch standing {
        case .toDo, .done: reason = .done
        case .failed: reason = .failedBefore
        case .changed: reason = .changed
        case .different(let text):
            try await journal.noteDifferences([(item.name, .failed(text))], of: kind)
            reason = .unusable(text)
        case .repeated(isEqual: true): reason = .repeated
        case .repeated(isEqual: false):
            let text = "the source has it twice, with different content; the first was taken"
            // The entry under its own name is that of the first.
            try await journal.refuse("\(item.name) (again)", of: kind, because: text)
            reason = .unusable(text)
        }
        observer.passed(item.name, of: kind, bytes: item.size ?? 0, reason)
    }
}
