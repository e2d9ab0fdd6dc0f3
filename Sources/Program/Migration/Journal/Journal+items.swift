internal import GRDB

/// An item of a source, as the journal compares it.
package protocol MigrationItem: Sendable {
    /// The item's unique name within its kind: a path, a URL, an objectId.
    var name: String { get }
    /// The number of bytes; `nil` if it is unknown.
    var size: Int64? { get }
    /// Changes when the item changes.
    var fingerprint: String { get }
    /// The objectId that the item must get on the server; `nil` lets the journal choose one.
    var objectId: String? { get }
    /// Whether a verification can compare the item without the journal: it has an objectId or a key of its own, and the
    /// comparison covers its content.
    var isComparable: Bool { get }
}

extension MigrationItem {
    /// Whether the item has an objectId of its own.
    package var isComparable: Bool { objectId != nil }
}

/// Which items are sent again.
package struct RepeatRules: Sendable, Hashable {
    /// Whether items that failed are tried again.
    package var failed = false
    /// Whether items that have changed in the source replace what is on the server.
    package var changed = false

    /// Creates rules that send nothing again.
    package init() {}
}

extension Journal {
    /// Notes items that were found in the source and says what to do with each.
    func begin(_ items: [some MigrationItem], of kind: String, repeating rules: RepeatRules) async throws -> [Standing]
    {
        try await write { [pass] database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT id, fingerprint, state, pass, objectId, upload, replaced FROM item
                      WHERE kind = ? AND name = ?
                    """
            )
            return try items.map { item in
                guard let row = try Row.fetchOne(statement, arguments: [kind, item.name]) else {
                    return .toDo(try Journal.insert(item, kind, pass, in: database))
                }
                return try Journal.standing(of: item, row, pass, rules, in: database)
            }
        }
    }

    /// The states of items as they would be with ``begin(_:of:repeating:)``; ``ItemState/waiting`` for those that would
    /// be sent.
    func states(
        of items: [some MigrationItem],
        of kind: String,
        repeating rules: RepeatRules
    ) async throws
        -> [ItemState]
    {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "SELECT fingerprint, state FROM item WHERE kind = ? AND name = ?"
            )
            return try items.map { item in
                guard let row = try Row.fetchOne(statement, arguments: [kind, item.name]) else { return .waiting }
                let isEqual = row["fingerprint"] == item.fingerprint
                let state = Journal.state(stored: ItemState(rawValue: row["state"]), isEqual: isEqual)
                return Journal.sends(state, isEqual: isEqual, rules) ? .waiting : state
            }
        }
    }

    /// Notes what became of entries.
    func end(_ ends: [(entry: JournalEntry, end: ItemEnd)]) async throws {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE item SET state = ?, reason = ?, upload = NULL, replaced = NULL WHERE id = ?"
            )
            for (entry, end) in ends {
                switch end {
                case .done: try statement.execute(arguments: [ItemState.done.rawValue, nil, entry.id])
                case .failed(let reason):
                    try statement.execute(arguments: [ItemState.failed.rawValue, reason, entry.id])
                case .stopped, .interrupted: break
                }
            }
        }
    }

    /// Notes an item that cannot be sent at all.
    func refuse(_ name: String, of kind: String, because reason: String) async throws {
        try await write { [pass] database in
            try database.execute(
                sql: """
                    INSERT INTO item (kind, name, fingerprint, size, state, pass, reason) VALUES (?, ?, '', 0, ?, ?, ?)
                    ON CONFLICT (kind, name) DO UPDATE SET pass = excluded.pass, reason = excluded.reason,
                      state = CASE state WHEN 1 THEN 3 ELSE excluded.state END
                    """,
                arguments: [kind, name, ItemState.failed.rawValue, pass, reason]
            )
        }
    }

    /// Stores the note of an item's unfinished upload, so that another process can continue it.
    package func note(upload: String, of entry: JournalEntry) throws {
        do {
            try database.write { database in
                try database.execute(sql: "UPDATE item SET upload = ? WHERE id = ?", arguments: [upload, entry.id])
            }
        } catch {
            throw Journal.failure(error, path)
        }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await database.write(body)
        } catch let error as DatabaseError {
            throw Journal.failure(error, path)
        }
    }

    private static func insert(
        _ item: some MigrationItem,
        _ kind: String,
        _ pass: Int64,
        in database: Database
    ) throws -> JournalEntry {
        let objectId = item.objectId ?? NewObjectID.next()
        let statement = try database.cachedStatement(
            sql: "INSERT INTO item (kind, name, fingerprint, size, state, pass, objectId) VALUES (?, ?, ?, ?, 0, ?, ?)"
        )
        try statement.execute(arguments: [kind, item.name, item.fingerprint, item.size ?? 0, pass, objectId])
        return JournalEntry(
            id: database.lastInsertedRowID,
            objectId: objectId,
            upload: nil,
            mayExist: false,
            replaced: nil
        )
    }

    /// The state of an item whose content is equal to that in the journal, or not.
    static func state(stored: ItemState?, isEqual: Bool) -> ItemState {
        let state = stored ?? .waiting
        return state == .done || state == .changed ? (isEqual ? .done : .changed) : state
    }

    private static func sends(_ state: ItemState, isEqual: Bool, _ rules: RepeatRules) -> Bool {
        switch state {
        case .waiting: true
        case .done: false
        case .failed: rules.failed || !isEqual
        case .changed: rules.changed
        }
    }

    private static func standing(
        of item: some MigrationItem,
        _ row: Row,
        _ pass: Int64,
        _ rules: RepeatRules,
        in database: Database
    ) throws -> Standing {
        let id: Int64 = row["id"]
        let isEqual = row["fingerprint"] == item.fingerprint
        guard row["pass"] != pass else { return .repeated(isEqual: isEqual) }
        let state = state(stored: ItemState(rawValue: row["state"]), isEqual: isEqual)
        let isSent = sends(state, isEqual: isEqual, rules)
        var entry = JournalEntry(
            id: id,
            objectId: row["objectId"] ?? item.objectId ?? NewObjectID.next(),
            upload: isEqual ? row["upload"] : nil,
            mayExist: true,
            replaced: row["replaced"]
        )
        if isSent, state == .changed, item.objectId == nil { entry = entry.replacing(with: NewObjectID.next()) }
        let reason = state == .changed && !isSent ? "changed since it was migrated; --update sends it again" : nil
        let statement = try database.cachedStatement(
            sql: """
                UPDATE item SET pass = ?, state = ?, objectId = ?, upload = ?, replaced = ?,
                  fingerprint = CASE WHEN ? THEN ? ELSE fingerprint END, size = ?,
                  reason = CASE WHEN ? THEN reason ELSE ? END WHERE id = ?
                """
        )
        let stored = isSent ? ItemState.waiting : state
        try statement.execute(arguments: [
            pass, stored.rawValue, entry.objectId, entry.upload, entry.replaced, isSent, item.fingerprint,
            item.size ?? 0,
            state == .failed && !isSent, reason, id,
        ])
        if isSent { return .toDo(entry) }
        return state == .done ? .done : state == .failed ? .failed : .changed
    }
}

extension JournalEntry {
    /// The entry for a new version of the item, beside which the earlier one exists until the new one is stored.
    fileprivate func replacing(with next: String) -> JournalEntry {
        JournalEntry(id: id, objectId: next, upload: nil, mayExist: false, replaced: objectId)
    }
}
