import Domain

extension RowInspection {
    /// Inspects all rows, page by page.
    func inspectAll(limit: Int = 1000) async throws -> (count: Int, damaged: [DamagedRow]) {
        var (count, damaged, position) = (0, [DamagedRow](), RowPosition?.none)
        repeat {
            let page = try await inspectRows(after: position, limit: limit)
            count += page.count
            damaged += page.damaged
            position = page.next
        } while position != nil
        return (count, damaged)
    }
}
