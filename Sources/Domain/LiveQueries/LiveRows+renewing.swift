internal import Logging

extension LiveRows {
    /// The seconds between two searches for expired rows.
    static let removalPause = 60

    /// Renews the rows of connected clients, and lets those of clients that have left expire earlier.
    ///
    /// What fails is tried again with the next call: a renewal begins long before its row expires.
    func renew() async {
        let now = settings.clock()
        let due = registry.due { times.isDue($0, at: now) }
        await change(due) { [times] row in
            guard times.isDue(row.expiresAt, at: now) else { return }
            row.expiresAt = times.long(from: now)
        }
        let left = registry.takeDeparted { $0 > times.short(from: now) }
        await change(left) { [times] row in
            row.expiresAt = min(row.expiresAt, times.short(from: now))
        }
    }

    /// Removes expired rows, of any server.
    func removeExpired() async {
        let now = settings.clock()
        let query = ObjectQuery(.liveQuery, where: LiveRow.isExpired(at: now), page: Page(first: LiveRows.chunk))
        var isEmpty = false
        while !isEmpty, !Task.isCancelled {
            do {
                guard try await store.read({ try !$0.rows(query).isEmpty }) else { return }
                isEmpty = try await store.write { writer in
                    let ids = try writer.rows(query).map(\.id)
                    return try writer.delete(ids, in: .liveQuery).isEmpty
                }
            } catch {
                logger.debug("Expired live queries stay", metadata: ["app": "\(registry.app)", "error": "\(error)"])
                return
            }
        }
    }

    /// Changes the time of rows, those that still exist, with few transactions.
    private func change(_ ids: [LiveQueryID], _ body: @escaping @Sendable (inout LiveRow) -> Void) async {
        var rest = ids.compactMap(\.row)[...]
        let now = settings.clock()
        while !rest.isEmpty, !Task.isCancelled {
            let part = rest.prefix(LiveRows.chunk)
            rest = rest.dropFirst(part.count)
            do {
                let rows = try await store.write { writer in
                    try part.compactMap { id -> LiveRow? in
                        guard let before = try writer.object(id, in: .liveQuery), var row = LiveRow(before),
                            !row.isEnded
                        else { return nil }
                        let former = row.expiresAt
                        body(&row)
                        if row.expiresAt != former { try writer.replace(before, with: row, at: now) }
                        return row
                    }
                }
                // The change arrives through the feed, too, but perhaps after the next call.
                for row in rows { registry.note(row) }
            } catch {
                logger.debug(
                    "Live queries were not renewed",
                    metadata: ["app": "\(registry.app)", "error": "\(error)"]
                )
                return
            }
        }
    }
}
