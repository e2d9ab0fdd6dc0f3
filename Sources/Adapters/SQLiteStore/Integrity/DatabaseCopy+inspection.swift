package import Domain
internal import GRDB

extension DatabaseCopy: RowInspection {
    /// Compares the next rows with their checksums, on a queue of GRDB.
    package func inspectRows(after position: RowPosition?, limit: Int) async throws -> InspectedRows {
        try await RowInspector.page {
            try await queue.read { try RowInspector(db: $0).page(after: position, limit: limit) }
        }
    }
}
