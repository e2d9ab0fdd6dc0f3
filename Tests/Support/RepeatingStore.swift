package import Domain

/// A store that runs each body of a change twice and commits the second run.
///
/// It simulates a store that meets a conflict at the end of the first run.
package struct RepeatingStore: ObjectStore {
    private let base: any ObjectStore

    package init(_ base: any ObjectStore) {
        self.base = base
    }

    private struct Conflict: Error {}

    package var changes: ChangeFeed { base.changes }

    package var isShared: Bool { base.isShared }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(within: budget, body)
    }

    package func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.lookUp(body)
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write { writer in
            try? writer.attempt {
                _ = try body(writer)
                throw Conflict()
            }
            writer.caller = nil
            return try body(writer)
        }
    }
}
