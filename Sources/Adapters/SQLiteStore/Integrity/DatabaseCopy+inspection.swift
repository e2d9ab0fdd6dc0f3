package import Domain
internal import GRDB

extension DatabaseCopy: RowInspection {
    private static let rowPageSize = 1000

    /// Compares the next rows with their checksums, on a queue of GRDB.
    package func inspectRows(after position: RowPosition?, limit: Int) async throws -> InspectedRows {
        try await RowInspector.page {
            try await queue.read { try RowInspector(db: $0).page(after: position, limit: limit) }
        }
    }

    package func forEachDamagedRow(_ body: (DamagedRow) throws -> Void) throws {
        var position: RowPosition?
        repeat {
            let page = try rows(after: position)
            for row in page.damaged { try body(row) }
            position = page.next
        } while position != nil
    }

    private func rows(after position: RowPosition?) throws(OpenFailure) -> InspectedRows {
        do {
            return try queue.read { try RowInspector(db: $0).page(after: position, limit: DatabaseCopy.rowPageSize) }
        } catch let cutOff as RowInspector.CutOff {
            return cutOff.page
        } catch {
            throw OpenFailure(message: "cannot be read (\(DatabaseCopy.line(error)))")
        }
    }
}
