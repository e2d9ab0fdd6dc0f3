internal import Dispatch

/// Reads the items of a migration one after the other, from files, and so blocks.
package protocol ItemSource<Item> {
    /// The items.
    associatedtype Item: MigrationItem
    /// The next item; `nil` after the last one.
    ///
    /// - Throws: An error after which nothing more can be read.
    mutating func next() throws -> SourceElement<Item>?
}

/// What a source has at one position.
package enum SourceElement<Item: Sendable>: Sendable {
    /// An item.
    case item(Item)
    /// Something that should be an item and cannot be used, with the reason as a phrase.
    case unusable(name: String, reason: String)
}

/// A source on a thread of its own, so that its reading blocks no other task.
actor SourceReader<Source: ItemSource> {
    private let thread = SourceThread()
    private let open: @Sendable () throws -> Source
    private var source: Source?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameter open: Opens the source; called on its thread, before the first element is read.
    init(_ open: @escaping @Sendable () throws -> Source) {
        self.open = open
    }

    /// The next elements, at most `limit`; none at the end.
    ///
    /// The task's cancellation ends a page early.
    func page(_ limit: Int) throws -> [SourceElement<Source.Item>] {
        var source = try source ?? open()
        defer { self.source = source }
        var elements: [SourceElement<Source.Item>] = []
        while elements.count < limit, !Task.isCancelled, let element = try source.next() { elements.append(element) }
        return elements
    }
}

/// Runs the jobs of one actor, one after the other, where they can block.
private final class SourceThread: SerialExecutor {
    private let queue = DispatchQueue(label: "lcfile.source")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
