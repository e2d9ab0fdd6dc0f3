/// A query of an inbox.
package struct InboxSearch: Sendable {
    /// The owner, as a pointer in JSON; `nil` for the caller.
    package var owner: JSONValue?
    /// The type of the inbox, as in the request.
    package var type: JSONValue?
    /// Only statuses with a greater number.
    package var since: Int64
    /// Only statuses with this number and smaller ones; 0 for no bound.
    package var max: Int64
    /// Whether the oldest status comes first.
    package var isAscending: Bool
    /// A condition for the statuses.
    package var condition: Condition
    /// The part of the result to return; at most 100 statuses.
    package var page: Page
    /// Whether to count the statuses in the inbox.
    package var counts: Bool

    /// Creates a query from its parts.
    package init(
        owner: JSONValue? = nil,
        type: JSONValue? = nil,
        since: Int64 = 0,
        max: Int64 = 0,
        isAscending: Bool = false,
        condition: Condition = .always,
        page: Page = Page(first: 100),
        counts: Bool = false
    ) {
        self.owner = owner
        self.type = type
        self.since = since
        self.max = max
        self.isAscending = isAscending
        self.condition = condition
        self.page = page
        self.counts = counts
    }
}

/// A page of an inbox.
package struct InboxReply: Sendable {
    /// The statuses, each with its number as `messageId`.
    package var statuses: [ShownObject] = []
    /// Whether the inbox has statuses, and none beyond this page.
    package var isEnd = false
    /// The number of statuses in the inbox, if the query asks for it.
    package var count: Int?
}

/// The numbers of statuses in an inbox.
package struct InboxCounts: Sendable, Equatable {
    /// All statuses.
    package let total: Int
    /// Those that were delivered since the owner last reset the count.
    package let unread: Int

    /// Creates the value from both numbers.
    package init(total: Int, unread: Int) {
        self.total = total
        self.unread = unread
    }
}

extension FeedService {
    /// A page of an inbox, the newest statuses first.
    ///
    /// - Parameters:
    ///   - search: The query.
    ///   - view: The parts of statuses that the reply shows.
    ///   - caller: The owner of the inbox, or the master key.
    ///   - presence: Cancels a slow query when the client disconnects.
    /// - Returns: The page; statuses that were deleted are not in it.
    /// - Throws: ``ServiceError/Code/forbidden`` for another caller, ``ServiceError/Code/sessionRequired``, and errors
    ///   of queries.
    package func inbox(
        _ search: InboxSearch,
        view: ObjectView,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> InboxReply {
        let inbox = try inbox(of: search.owner, search.type, for: caller)
        return try await objects.reading(as: caller, within: objects.budget(presence)) { rules in
            try rules.requireOwner(of: inbox)
            return try rules.page(of: inbox, search, view: view)
        }
    }

    /// The numbers of statuses in an inbox.
    ///
    /// - Throws: As ``inbox(_:view:as:presence:)``.
    package func counts(owner: JSONValue?, type: JSONValue?, as caller: Caller) async throws -> InboxCounts {
        let inbox = try inbox(of: owner, type, for: caller)
        return try await store.read { [settings] reader in
            try ObjectReadRules(reader: reader, caller: caller, settings: settings).requireOwner(of: inbox)
            let row = try reader.row(of: inbox)
            let read = row?.fields[Inbox.read]?.integerValue ?? 0
            return InboxCounts(
                total: try reader.count(inbox.items(after: 0), in: .inboxItem),
                unread: try reader.count(inbox.items(after: read), in: .inboxItem)
            )
        }
    }

    /// Marks all statuses in an inbox as read.
    ///
    /// - Throws: As ``inbox(_:view:as:presence:)``.
    package func resetUnread(owner: JSONValue?, type: JSONValue?, as caller: Caller) async throws {
        let inbox = try inbox(of: owner, type, for: caller)
        try await store.write(as: caller, by: settings) { rules in
            try rules.readRules.requireOwner(of: inbox)
            guard let before = try rules.writer.row(of: inbox) else { return }
            var row = before
            row.fields[Inbox.read] = .integer(Inbox.last(in: before))
            row.touch(at: rules.settings.clock())
            if row.fields != before.fields { try rules.writer.update(row, in: .inbox, from: before) }
        }
    }

    /// Removes one status from an inbox, and from no other; does nothing if it is not there.
    ///
    /// - Throws: As ``inbox(_:view:as:presence:)``.
    package func remove(_ number: Int64, owner: JSONValue?, type: JSONValue?, as caller: Caller) async throws {
        let inbox = try inbox(of: owner, type, for: caller)
        try await store.write(as: caller, by: settings) { rules in
            try rules.readRules.requireOwner(of: inbox)
            let place = Condition.field(InboxItem.place, .equals(.string(inbox.place(of: number))))
            _ = try rules.writer.removePart(of: .inboxItem, where: place)
        }
    }

    /// A status: one that the caller is allowed to read, or that is in an inbox of the caller.
    ///
    /// - Throws: Errors of reads of objects.
    package func status(_ id: ObjectID, view: ObjectView, as caller: Caller) async throws -> ObjectReply {
        let budget = objects.budget(nil)
        return try await objects.reading(as: caller, within: budget) { rules in
            let schema = try rules.requireSchema(of: .status)
            try rules.access.require(.get, in: schema)
            guard let row = try rules.reader.row(id, in: .status) else {
                throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
            }
            let owner = rules.access.caller.user?.id
            if try owner.map({ try rules.reader.isDelivered(id, to: $0) }) != true {
                try rules.access.requireReading(row, in: schema)
            }
            return ObjectReply(try rules.presenter.object(row, in: schema, view: view))
        }
    }

    private func inbox(of owner: JSONValue?, _ type: JSONValue?, for caller: Caller) throws -> InboxID {
        guard let owner = try Pointer.user(owner, field: "owner") ?? caller.user?.id else { throw Caller.noSession }
        return InboxID(owner: owner, type: try InboxType(type))
    }
}

extension ObjectReadRules {
    /// Throws ``ServiceError/Code/forbidden`` unless the inbox is the caller's, or the caller has the master key.
    fileprivate func requireOwner(of inbox: InboxID) throws {
        guard access.caller.isMaster || access.caller.user?.id == inbox.owner else {
            throw ServiceError(.forbidden, "The inbox belongs to another user.")
        }
        try access.require(.find, in: try requireSchema(of: .status))
    }

    /// The page of a query of an inbox: places are read in pieces until the page is full.
    fileprivate func page(of inbox: InboxID, _ search: InboxSearch, view: ObjectView) throws -> InboxReply {
        let schema = try requireSchema(of: .status)
        let condition = try ConditionResolver(reader: reader, access: access).resolve(search.condition, in: schema)
        var (since, through) = (search.since, search.max > 0 ? search.max : nil)
        var (skipped, size, isFull) = (0, 0, false)
        var found: [(row: ObjectRow, number: Int64)] = []
        let limit = min(search.page.limit, InboxSearch.maxLimit)
        while !isFull, limit > 0 {
            let items = try items(of: inbox, since, through, ascending: search.isAscending)
            guard !items.isEmpty else { break }
            let rows = try statuses(of: items, where: condition, reading: presenter.projection(of: view, in: schema))
            for item in items where !isFull {
                if search.isAscending { since = item.number } else { through = item.number - 1 }
                guard let row = rows[item.status] else { continue }
                if skipped < search.page.skip {
                    skipped += 1
                    continue
                }
                found.append((row, item.number))
                size += row.size
                isFull = found.count == limit || size > settings.queries.replySize
            }
        }
        var reply = InboxReply()
        let total = try reader.count(inbox.items(after: 0), in: .inboxItem)
        if search.counts { reply.count = total }
        // LeanCloud answers false for an empty inbox.
        reply.isEnd = try total > 0 && reader.count(inbox.items(after: since, through: through), in: .inboxItem) == 0
        reply.statuses = zip(try presenter.objects(found.map(\.row), in: schema, view: view), found).map {
            $0.numbered($1.number, in: inbox.type)
        }
        return reply
    }

    private func items(
        of inbox: InboxID,
        _ since: Int64,
        _ through: Int64?,
        ascending: Bool
    ) throws -> [InboxItem] {
        let query = ObjectQuery(
            .inboxItem,
            where: inbox.items(after: since, through: through),
            order: [SortKey(InboxItem.place, descending: !ascending)],
            page: Page(first: InboxSearch.pieceSize)
        )
        return try reader.find(query).compactMap(InboxItem.init)
    }

    /// The statuses of places by their ids; the owner of an inbox reads all of them.
    private func statuses(
        of items: [InboxItem],
        where condition: Condition,
        reading projection: RowProjection?
    ) throws -> [ObjectID: ObjectRow] {
        let ids = ValueSet(items.map { .string($0.status.description) })
        let isOne = Condition.field(FieldPath(field: "objectId"), .isIn(ids))
        let query = ObjectQuery(.status, where: .all([isOne, condition]), page: .all, reading: projection)
        let rows = try reader.rows(query)
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }
}

extension InboxSearch {
    /// The maximum number of statuses of a page.
    fileprivate static let maxLimit = 100
    /// The number of places that are read together.
    fileprivate static let pieceSize = 50
}

extension ShownObject {
    /// The status as an inbox shows it.
    fileprivate func numbered(_ number: Int64, in type: InboxType) -> ShownObject {
        var object = RawObject(json)
        object.set("messageId", to: JSONValue.integer(number).encoded())
        object.set("inboxType", toPlain: type.description)
        return ShownObject(json: object.encoded())
    }
}
