internal import Domain

/// The checksums of rows.
extension AppCheck {
    private static let pageSize = 1000

    /// Compares all rows with their checksums, and repairs damaged ones as the options say.
    ///
    /// - Returns: The damage of the row of the usage that a repair counts anew; it is reported after that.
    func checkRows(_ summary: inout CheckSummary) async throws -> [IntegrityFinding] {
        observer.step("rows")
        var damagedUsage: [IntegrityFinding] = []
        let repair = options.damagedRows == .kept ? nil : try engine.rowRepair(in: folder)
        let rows = try repair ?? engine.rows(in: folder)
        var position: RowPosition?
        repeat {
            let page = try await rows.inspectRows(after: position, limit: AppCheck.pageSize)
            summary.rows += page.count
            damagedUsage += try await report(page.damaged, repair, &summary)
            position = page.next
        } while position != nil
        return damagedUsage
    }

    /// Whether a row is that of the usage, whose numbers are the sums of other rows.
    private static func isUsage(_ row: DamagedRow) -> Bool {
        row.className == ClassName.usage.description && row.id == Usage.id.description
    }

    /// Repairs and reports rows; returns the findings that are to be reported later.
    private func report(
        _ rows: [DamagedRow],
        _ repair: (any RowRepair)?,
        _ summary: inout CheckSummary
    ) async throws -> [IntegrityFinding] {
        guard !rows.isEmpty else { return [] }
        var later: [IntegrityFinding] = []
        let refusals = try await change(rows.filter { !AppCheck.isUsage($0) }, repair)
        for row in rows {
            var detail = "(row \(row.number)) \(row.damage)"
            if let reason = refusals[row.number] { detail += ", and \(reason)" }
            var found = finding(.damagedRow, "\(row.className)/\(row.id)", detail)
            if options.repairs, AppCheck.isUsage(row) {
                later.append(found)
                continue
            }
            if repair != nil, refusals[row.number] == nil {
                found.repair = options.damagedRows == .removed ? "removed" : "accepted as it is"
            }
            report(found, &summary)
        }
        return later
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
