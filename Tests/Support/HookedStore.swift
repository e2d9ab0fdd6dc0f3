package import Domain

/// A store that passes all calls on to another one, with what a test does before and after them.
///
/// An error that a hook throws is that of the call.
package struct HookedStore: ObjectStore {
    /// Runs outside transactions.
    package typealias Hook = @Sendable () async throws -> Void

    package let changes: ChangeFeed
    package let isShared: Bool
    private let base: any ObjectStore
    private let beforeRead: Hook
    private let afterRead: Hook
    private let beforeWrite: Hook
    private let afterWrite: Hook

    /// - Parameters:
    ///   - base: The other store.
    ///   - changes: A feed that the store does not publish to, as of a server that hears nothing; `nil` for the other's.
    ///   - isShared: Whether other servers can change the objects; `nil` if the other store says that.
    ///   - beforeRead: Runs before each read.
    ///   - afterRead: Runs after each read that succeeded.
    ///   - beforeWrite: Runs before each write.
    ///   - afterWrite: Runs after each write that was committed.
    package init(
        _ base: any ObjectStore,
        changes: ChangeFeed? = nil,
        isShared: Bool? = nil,
        beforeRead: @escaping Hook = {},
        afterRead: @escaping Hook = {},
        beforeWrite: @escaping Hook = {},
        afterWrite: @escaping Hook = {}
    ) {
        self.base = base
        self.changes = changes ?? base.changes
        self.isShared = isShared ?? base.isShared
        self.beforeRead = beforeRead
        self.afterRead = afterRead
        self.beforeWrite = beforeWrite
        self.afterWrite = afterWrite
    }

    package var coordination: (any ServerCoordination)? { base.coordination }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await beforeRead()
        let result = try await base.read(within: budget, body)
        try await afterRead()
        return result
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await beforeWrite()
        let result = try await base.write(body)
        try await afterWrite()
        return result
    }
}
