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
            let done = try database.cachedStatement(
                sql: """
                    UPDATE item SET state = ?, objectId = ?, reason = NULL, upload = NULL, replaced = NULL WHERE id = ?
                    """
            )
            // The next attempt has to replace the same versions.
            let failed = try database.cachedStatement(
                sql: "UPDATE item SET state = ?, reason = ?, upload = NULL WHERE id = ?"
            )
            for (entry, end) in ends {
                switch end {
                case .done: try done.execute(arguments: [ItemState.done.rawValue, entry.objectId, entry.id])
                case .failed(let reason):
                    try failed.execute(arguments: [ItemState.failed.rawValue, reason, entry.id])
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
        let noted = Journal.noted(objectId, of: item)
        try statement.execute(arguments: [kind, item.name, item.fingerprint, item.size ?? 0, pass, noted])
        return JournalEntry(
            id: database.lastInsertedRowID,
            objectId: objectId,
            upload: nil,
            replaced: []
        )
    }

    /// The objectId that the journal notes before an item is sent: one that the client chose.
    ///
    /// An objectId of the source is noted when the item is done. Before that it can be the objectId of another file,
    /// which must not be deleted as an earlier version of the item if the source leaves the objectId out later.
    private static func noted(_ objectId: String, of item: some MigrationItem) -> String? {
        item.objectId == nil ? objectId : nil
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
        let entry = entry(id, of: item, row, isEqual: isEqual)
        let reason = state == .changed && !isSent ? "changed since it was migrated; --update sends it again" : nil
        let statement = try database.cachedStatement(
            sql: """
                UPDATE item SET pass = ?, state = ?, objectId = ?, upload = ?, replaced = ?,
                  fingerprint = CASE WHEN ? THEN ? ELSE fingerprint END, size = ?,
                  reason = CASE WHEN ? THEN reason ELSE ? END WHERE id = ?
                """
        )
        let stored = isSent ? ItemState.waiting : state
        let objectId: String? = isSent ? Journal.noted(entry.objectId, of: item) : row["objectId"]
        let replaced: String? = isSent ? JournalEntry.text(ofReplaced: entry.replaced) : row["replaced"]
        try statement.execute(arguments: [
            pass, stored.rawValue, objectId, entry.upload, replaced, isSent, item.fingerprint,
            item.size ?? 0,
            state == .failed && !isSent, reason, id,
        ])
        if isSent { return .toDo(entry) }
        return state == .done ? .done : state == .failed ? .failed : .changed
    }

    /// The entry with which an item of a row is sent.
    ///
    /// The bytes of a file never change, so a changed item gets another objectId. The earlier version is replaced also
    /// if its end is not known: the process that sent it can have ended before it noted the answer.
    private static func entry(_ id: Int64, of item: some MigrationItem, _ row: Row, isEqual: Bool) -> JournalEntry {
        var replaced = JournalEntry.replaced(in: row["replaced"])
        let noted: String? = row["objectId"]
        if isEqual || item.objectId != nil {
            let objectId = item.objectId ?? noted ?? NewObjectID.next()
            return JournalEntry(id: id, objectId: objectId, upload: isEqual ? row["upload"] : nil, replaced: replaced)
        }
        if let noted { replaced.append(noted) }
        return JournalEntry(id: id, objectId: NewObjectID.next(), upload: nil, replaced: replaced)
    }
}

/// The column `replaced`: objectIds separated by spaces.
extension JournalEntry {
    fileprivate static func replaced(in text: String?) -> [String] {
        text?.split(separator: " ").map(String.init) ?? []
    }

    fileprivate static func text(ofReplaced ids: [String]) -> String? {
        ids.isEmpty ? nil : ids.joined(separator: " ")
    }
}
