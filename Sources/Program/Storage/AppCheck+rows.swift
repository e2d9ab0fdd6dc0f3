internal import Domain

/// The checksums of rows.
extension AppCheck {
    private static let pageSize = 1000

    /// Compares all rows with their checksums, and repairs damaged ones as the options say.
    ///
    /// - Returns: Whether the row of the usage is damaged, which a repair counts anew.
    func checkRows(_ summary: inout CheckSummary) async throws -> Bool {
        observer.step("rows")
        var isUsageDamaged = false
        let repair = options.damagedRows == .kept ? nil : try engine.rowRepair(in: folder)
        let rows = try repair ?? engine.rows(in: folder)
        var position: RowPosition?
        repeat {
            let page = try await rows.inspectRows(after: position, limit: AppCheck.pageSize)
            summary.rows += page.count
            isUsageDamaged = isUsageDamaged || page.damaged.contains(where: AppCheck.isUsage)
            try await report(page.damaged, repair, &summary)
            position = page.next
        } while position != nil
        return isUsageDamaged
    }

    /// Whether a row is that of the usage, whose numbers are the sums of other rows.
    private static func isUsage(_ row: DamagedRow) -> Bool {
        row.className == ClassName.usage.description && row.id == Usage.id.description
    }

    private func report(
        _ rows: [DamagedRow],
        _ repair: (any RowRepair)?,
        _ summary: inout CheckSummary
    ) async throws {
        guard !rows.isEmpty else { return }
        let refusals = try await change(rows.filter { !AppCheck.isUsage($0) }, repair)
        for row in rows {
            var detail = "(row \(row.number)) \(row.damage)"
            if let reason = refusals[row.number] { detail += ", and \(reason)" }
            var found = finding(.damagedRow, "\(row.className)/\(row.id)", detail)
            if options.repairs, AppCheck.isUsage(row) {
                found.repair = "counted anew"
            } else if repair != nil, refusals[row.number] == nil {
                found.repair = options.damagedRows == .removed ? "removed" : "accepted as it is"
            }
            report(found, &summary)
        }
    }

    /// Repairs rows; returns why some cannot be accepted, by their numbers.
    private func change(_ rows: [DamagedRow], _ repair: (any RowRepair)?) async throws -> [Int64: String] {
        guard let repair else { return [:] }
        guard options.damagedRows == .accepted else {
            try await repair.remove(rows)
            return [:]
        }
        var refusals: [Int64: String] = [:]
        var rest = rows
        while !rest.isEmpty {
            do {
                try await repair.accept(rest)
                break
            } catch let error as UnacceptableRow {
                refusals[error.row.number] = error.reason
                rest.removeAll { $0 == error.row }
            }
        }
        return refusals
    }
}
