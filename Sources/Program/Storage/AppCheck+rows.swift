internal import Domain

/// The checksums of rows.
extension AppCheck {
    private static let pageSize = 1000

    /// Compares all rows with their checksums, and repairs damaged ones as the options say.
    ///
    /// - Returns: The damage of the row of the usage that a repair counts anew; it is reported after that. And whether
    ///   a row that names bytes was damaged and is not removed: bytes without a name can be those of its former values.
    func checkRows(_ summary: inout CheckSummary) async throws -> (usage: [IntegrityFinding], hidesNames: Bool) {
        observer.step("rows")
        var damagedUsage: [IntegrityFinding] = []
        let repair = options.damagedRows == .kept ? nil : try engine.rowRepair(in: folder)
        let rows = try repair ?? engine.rows(in: folder)
        var damaged: [DamagedRow] = []
        var hidesNames = false
        var position: RowPosition?
        repeat {
            let page = try await rows.inspectRows(after: position, limit: AppCheck.pageSize)
            summary.rows += page.count
            damaged += page.damaged
            if options.damagedRows != .removed, page.damaged.contains(where: AppCheck.namesBytes) { hidesNames = true }
            if repair == nil {
                damagedUsage += try await report(damaged, nil, &summary)
                damaged = []
            }
            position = page.next
        } while position != nil
        // All at once: no index of a class can be created while another of its rows is no JSON.
        return (damagedUsage + (try await report(damaged, repair, &summary)), hidesNames)
    }

    /// Whether a row belongs to a class whose rows name blobs, or bytes in the trash.
    private static func namesBytes(_ row: DamagedRow) -> Bool {
        [ClassName.file, .deletion, .trash].contains { $0.description == row.className }
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
            if let reason = refusals[row] { detail += ", and \(reason)" }
            var found = finding(.damagedRow, "\(row.className)/\(row.id)", detail)
            if options.repairs, AppCheck.isUsage(row) {
                later.append(found)
                continue
            }
            if repair != nil, refusals[row] == nil {
                found.repair = options.damagedRows == .removed ? "removed" : "accepted as it is"
            }
            report(found, &summary)
        }
        return later
    }

    /// Repairs rows; returns why some cannot be accepted.
    private func change(_ rows: [DamagedRow], _ repair: (any RowRepair)?) async throws -> [DamagedRow: String] {
        guard let repair else { return [:] }
        guard options.damagedRows == .accepted else {
            try await repair.remove(rows)
            return [:]
        }
        var refusals: [DamagedRow: String] = [:]
        var rest = rows
        while !rest.isEmpty {
            do {
                try await repair.accept(rest)
                break
            } catch let error as UnacceptableRow {
                refusals[error.row] = error.reason
                rest.removeAll { $0 == error.row }
            }
        }
        return refusals
    }
}
