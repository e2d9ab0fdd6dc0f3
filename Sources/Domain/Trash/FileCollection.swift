internal import Synchronization

/// A collection: one search for files that no object refers to.
///
/// It has the rules, the names to which objects refer, and how far the scan is.
///
/// It is in memory only: the changes of objects since it began are a part of it, and a server that starts anew does not
/// know them. Thread-safe.
package final class FileCollection: Sendable {
    /// What a collection looks for.
    package struct Order: Sendable, Hashable {
        /// Seconds since the creation and the last change of a file that can be collected.
        package var unusedFor: Int
        /// Which values are references.
        package var rules: ReferenceRules

        /// Creates an order.
        package init(unusedFor: Int, rules: ReferenceRules) {
            self.unusedFor = unusedFor
            self.rules = rules
        }
    }

    /// How far the scan of all objects is.
    package struct Progress: Sendable, Hashable {
        /// The number of objects that were read.
        package var scanned = 0
        /// The number of objects when the scan began.
        package var total = 0
        /// Whether all objects were read.
        package var isComplete = false
    }

    private struct State {
        var filter: ReferenceFilter
        var progress = Progress()
        /// The classes that are not read completely, the next one first.
        var classes: [ClassName] = []
        /// The last object of the first class that was read.
        var last: ObjectID?
        /// Whether changes were lost, so that references can be missing.
        var hasMissed = false
        var lastUse = ContinuousClock.now
    }

    /// The id by which calls name it.
    package let id: ObjectID
    /// What it looks for.
    package let order: Order
    private let state: Mutex<State>

    /// - Parameters:
    ///   - id: A new id.
    ///   - order: What to look for.
    ///   - files: The number of files, for the size of the filter.
    init(id: ObjectID, order: Order, files: Int) {
        self.id = id
        self.order = order
        // An object can name a file by its id and by its key.
        state = Mutex(State(filter: ReferenceFilter(for: min(files, .max / 2) * 2)))
    }

    /// How far the scan is.
    package var progress: Progress { state.withLock(\.progress) }

    /// The time since the last call for this collection.
    var idleTime: Duration { state.withLock { .now - $0.lastUse } }

    /// Sets what the scan reads; changes before this call are visible to it.
    func begin(with classes: [ClassName], total: Int) {
        state.withLock { state in
            state.classes = classes
            state.progress = Progress(scanned: 0, total: total, isComplete: classes.isEmpty)
            state.hasMissed = false
        }
    }

    /// The class to read next, and the object after which to read; `nil` if all are read.
    func next() -> (name: ClassName, last: ObjectID?)? {
        state.withLock { state in
            state.lastUse = .now
            return state.classes.first.map { ($0, state.last) }
        }
    }

    /// Adds the references of a page; an empty one ends the class.
    ///
    /// Called by one task at a time.
    func take(_ objects: [StoredObject], of name: ClassName) {
        // The search in long strings takes a while, and writers wait for the lock in `follow(_:)`.
        for object in objects {
            let mentions = order.rules.mentions(in: object, of: name)
            state.withLock { $0.filter.insert(mentions) }
        }
        state.withLock { state in
            state.progress.scanned += objects.count
            state.last = objects.last?.id
            guard objects.isEmpty else { return }
            state.classes.removeFirst()
            state.progress.isComplete = state.classes.isEmpty
        }
    }

    /// Adds the references of objects that were changed while the collection exists.
    func follow(_ event: ChangeFeed.Event) {
        guard case .changes(let changes) = event else { return state.withLock { $0.hasMissed = true } }
        for change in changes where order.rules.counts(change.className) {
            guard let object = try? change.after?.object() else { continue }
            let mentions = order.rules.mentions(in: object, of: change.className)
            state.withLock { $0.filter.insert(mentions) }
        }
    }

    /// Whether no object that was read or changed refers to the file of a record.
    func isUnused(_ record: StoredObject) -> Bool {
        state.withLock { state in
            if state.filter.contains(record.id) { return false }
            return record.fileKey.map { !state.filter.contains($0) } ?? false
        }
    }

    /// Throws unless all objects were read and all changes since then are known.
    func requireComplete() throws {
        let (isComplete, hasMissed) = state.withLock { state in
            state.lastUse = .now
            return (state.progress.isComplete, state.hasMissed)
        }
        guard !hasMissed else {
            throw ServiceError(.conflict, "The collection missed changes of objects; begin a new one.")
        }
        guard isComplete else { throw ServiceError(.conflict, "The collection has not read all objects yet.") }
    }
}
