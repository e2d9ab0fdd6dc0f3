package import Domain
internal import Synchronization

/// Blobs whose conditions a test sets, for tests of code that uses a ``BlobInspection``.
package final class MemoryBlobInspection: BlobInspection {
    private struct State {
        var conditions: [ObjectID: BlobCondition] = [:]
        /// Counts changes, so that each has another identity.
        var versions: [ObjectID: Int] = [:]
        var inspected: [ObjectID] = []
    }

    private let state = Mutex(State())

    /// Creates an inspection in which all blobs are whole.
    package init() {}

    /// The files whose blobs were read, in this order.
    package var inspected: [ObjectID] { state.withLock(\.inspected) }

    /// Sets the condition of a file's blob, as another program that writes the blob does.
    package func set(_ condition: BlobCondition, of file: ObjectID) {
        state.withLock { state in
            state.conditions[file] = condition
            state.versions[file, default: 0] += 1
        }
    }

    package func inspect(
        _ file: FileEntry,
        pause: @escaping @Sendable (Int, Duration) async throws -> Void
    ) async throws -> BlobCondition {
        let condition = state.withLock { state in
            state.inspected.append(file.id)
            return state.conditions[file.id] ?? .whole
        }
        try await pause(Int(file.facts.size), .zero)
        return condition
    }

    package func identity(of file: FileEntry) async throws -> String? {
        state.withLock { state in
            state.conditions[file.id] == .missing ? nil : "\(state.versions[file.id] ?? 0)"
        }
    }
}

/// Rows whose damage a test sets.
package final class MemoryRowInspection: RowRepair {
    private let state = Mutex<[DamagedRow]>([])
    private let calls = Mutex(0)

    /// The number of calls that removed or accepted rows.
    package var repairs: Int { calls.withLock(\.self) }

    /// Creates an inspection of three pages without damage.
    package init() {}

    /// Sets the damaged rows; their numbers are 1 to 3, each on a page of its own.
    package func set(_ rows: [DamagedRow]) {
        state.withLock { $0 = rows }
    }

    package func inspectRows(after position: RowPosition?, limit: Int) async throws -> InspectedRows {
        let number = (position?.rowNumber ?? 0) + 1
        return InspectedRows(
            count: 1,
            damaged: state.withLock { $0.filter { $0.number == number } },
            next: number < 3 ? RowPosition(classNumber: 1, rowNumber: number) : nil
        )
    }

    /// Accepts rows that have an id.
    package func accept(_ rows: [DamagedRow]) async throws {
        if let row = rows.first(where: { $0.id.isEmpty }) { throw UnacceptableRow(row: row, reason: "holds no object") }
        try await remove(rows)
    }

    package func remove(_ rows: [DamagedRow]) async throws {
        calls.withLock { $0 += 1 }
        state.withLock { $0.removeAll(where: rows.contains) }
    }
}

/// The journal of a scrubber, in memory.
package final class MemoryScrubJournal: ScrubJournal {
    private let state = Mutex<(state: ScrubState?, suspects: [ObjectID])>((nil, []))

    /// Creates an empty journal.
    package init() {}

    /// Adds a suspect, as `lcfile check` does.
    package func add(_ suspect: ObjectID) {
        state.withLock { $0.suspects.append(suspect) }
    }

    package func load() async throws -> ScrubState? { state.withLock(\.state) }

    package func save(_ new: ScrubState) async throws { state.withLock { $0.state = new } }

    package func suspects() async throws -> [ObjectID] { state.withLock(\.suspects) }

    package func remove(_ suspects: [ObjectID]) async throws {
        state.withLock { state in state.suspects.removeAll { suspects.contains($0) } }
    }
}
