internal import Synchronization

/// The damaged rows of one class that a part of the server passes over, so that the other rows are still read.
///
/// It looks for them only after a read has failed because of damage. The scrubber and `lcfile check` report each of them;
/// a row that was repaired is read again after the next start.
final class PassedRows: Sendable {
    private let name: ClassName
    private let ids = Mutex<Set<String>>([])

    /// - Parameter name: The class.
    init(of name: ClassName) {
        self.name = name
    }

    /// The ids of the rows, as far as they can be read.
    var all: Set<String> { ids.withLock(\.self) }

    /// Runs a body that reads rows of the class; if it meets damaged rows that are not known yet, a second time without
    /// them.
    ///
    /// - Parameters:
    ///   - store: Contains the class.
    ///   - body: Gets the condition for the rows that can be read.
    /// - Returns: The result of the body.
    /// - Throws: Errors of the body; one because of damage if no row of the class is damaged that was not passed over.
    func passing<Result>(
        in store: any ObjectStore,
        _ body: (Condition) async throws -> Result
    ) async throws -> Result {
        let known = all
        do {
            return try await body(PassedRows.condition(without: known))
        } catch let error as ServiceError where error.code == .storageDamaged {
            let found = try await store.read { [name] reader in
                var damaged: Set<String> = []
                _ = try reader.intactRows(in: name) { damaged.insert($0) }
                return damaged
            }
            // Another call can have found them meanwhile, which this body has not passed over.
            guard !found.isSubset(of: known) else { throw error }
            ids.withLock { $0.formUnion(found) }
            return try await body(PassedRows.condition(without: all))
        }
    }

    private static func condition(without ids: Set<String>) -> Condition {
        guard !ids.isEmpty else { return .always }
        let values = ValueSet(ids.sorted().map { JSONValue.string($0) })
        return .field(FieldPath(field: "objectId"), .not(.isIn(values)))
    }
}
