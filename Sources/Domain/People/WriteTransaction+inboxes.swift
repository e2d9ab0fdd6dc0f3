/// A status on its way to inboxes.
struct StatusDelivery: Sendable {
    let status: ObjectID
    /// The author; users who block it do not get the status.
    let source: ObjectID
    let type: InboxType
}

extension WriteTransaction {
    /// Puts a status into the inboxes of users; those who have it, who block its author or do not exist are left out.
    ///
    /// - Parameters:
    ///   - delivery: The status.
    ///   - owners: The users, at most about ``PeopleJob/stepSize``.
    ///   - limits: The sizes of inboxes.
    ///   - ids: Generates the ids of rows.
    ///   - now: The time.
    /// - Throws: Errors of the store.
    func deliver(
        _ delivery: StatusDelivery,
        to owners: [ObjectID],
        _ limits: PeopleLimits,
        ids: ObjectIDGenerator,
        at now: Timestamp
    ) throws {
        guard !owners.isEmpty else { return }
        let known = try knownUsers(among: owners)
        let blocking = try users(blocking: delivery.source, among: owners)
        var delivered = try deliveries(of: delivery.status, to: owners)
        var boxes = try inboxes(of: owners, delivery.type)
        for owner in owners where known.contains(owner) && !blocking.contains(owner) {
            let mark = InboxItem.delivery(of: delivery.status, to: owner)
            guard delivered.insert(mark).inserted else { continue }
            let inbox = InboxID(owner: owner, type: delivery.type)
            let before = boxes[inbox.box]
            guard try before != nil || canHave(inbox, limits) else { continue }
            var row = before ?? StoredObject(id: ids.next(), createdAt: now, updatedAt: now, fields: Inbox.new(inbox))
            let number = Inbox.last(in: row) + 1
            row.fields[Inbox.last] = .integer(number)
            row.touch(at: now)
            if before == nil { try insert(row, into: .inbox) } else { try update(row, in: .inbox, from: before) }
            boxes[inbox.box] = row
            let fields: [String: JSONValue] = ["place": .string(inbox.place(of: number)), "delivery": .string(mark)]
            try insert(StoredObject(id: ids.next(), createdAt: now, updatedAt: now, fields: fields), into: .inboxItem)
            try removeOldest(of: inbox, through: number - Int64(limits.inboxSize))
        }
    }

    /// Removes a deleted status from inboxes, as many as one step removes.
    ///
    /// - Parameter status: The status.
    /// - Returns: Whether it is in no inbox any more.
    /// - Throws: Errors of the store.
    func withdraw(_ status: ObjectID) throws -> Bool {
        try removePart(of: .inboxItem, where: .begins(InboxItem.delivery, with: status.description))
    }

    /// Removes deleted statuses from all inboxes: few at once, the rest by the queue.
    ///
    /// Throws ``ServiceError/Code/timedOut`` if the time of a request is over.
    func withdraw(
        _ statuses: [ObjectID],
        ids: ObjectIDGenerator,
        at now: Timestamp,
        within time: TransactionTime? = nil
    ) throws {
        for (index, status) in statuses.enumerated() {
            try time?.acceptObject()
            guard try index >= 5 || !withdraw(status) else { continue }
            try queue(PeopleJob(.withdraw, status, id: ids.next(), at: now))
        }
    }

    /// Deletes the first objects for which a condition holds; returns whether no others are left.
    func removePart(of name: ClassName, where condition: Condition) throws -> Bool {
        let query = ObjectQuery(name, where: condition, page: Page(first: PeopleJob.stepSize))
        let ids = try rows(query).map(\.id)
        try delete(ids, in: name)
        return ids.count < PeopleJob.stepSize
    }

    /// Whether a user who has no such inbox yet can have it: others choose the types, so there is a limit.
    private func canHave(_ inbox: InboxID, _ limits: PeopleLimits) throws -> Bool {
        guard !inbox.type.isBuiltIn else { return true }
        let own = Condition.begins(Inbox.box, with: inbox.owner.description)
        let builtIn = [InboxType.standard, .confidential].map { InboxID(owner: inbox.owner, type: $0).box }
        let others = Condition.all([own, .not(.field(Inbox.box, .isIn(ValueSet(builtIn.map(JSONValue.string)))))])
        return try count(others, in: .inbox) < limits.inboxTypes
    }

    private func removeOldest(of inbox: InboxID, through number: Int64) throws {
        guard number > 0 else { return }
        let oldest = ObjectQuery(.inboxItem, where: inbox.items(after: 0, through: number), page: Page(first: 20))
        try delete(try rows(oldest).map(\.id), in: .inboxItem)
    }

    private func deliveries(of status: ObjectID, to owners: [ObjectID]) throws -> Set<String> {
        let marks = owners.map { JSONValue.string(InboxItem.delivery(of: status, to: $0)) }
        let condition = Condition.field(InboxItem.delivery, .isIn(ValueSet(marks)))
        return Set(try texts("delivery", of: ObjectQuery(.inboxItem, where: condition, page: .all)).map(\.text))
    }

    private func inboxes(of owners: [ObjectID], _ type: InboxType) throws -> [String: StoredObject] {
        let boxes = owners.map { JSONValue.string(InboxID(owner: $0, type: type).box) }
        let rows = try find(ObjectQuery(.inbox, where: .field(Inbox.box, .isIn(ValueSet(boxes))), page: .all))
        return Dictionary(rows.map { ($0.fields["box"]?.stringValue ?? "", $0) }) { first, _ in first }
    }
}

/// The fields of class `_Inbox`.
enum Inbox {
    static let box = FieldPath(field: "box")
    /// The number of the last status that was delivered.
    static let last = "last"
    /// The number of the last status that the owner has read.
    static let read = "read"

    static func new(_ inbox: InboxID) -> [String: JSONValue] {
        ["box": .string(inbox.box), last: .integer(0), read: .integer(0)]
    }

    static func last(in row: StoredObject) -> Int64 { row.fields[last]?.integerValue ?? 0 }
}

extension ReadTransaction {
    /// The row of an inbox; `nil` before the first delivery.
    func row(of inbox: InboxID) throws -> StoredObject? {
        try find(ObjectQuery(.inbox, where: .field(Inbox.box, .equals(.string(inbox.box))), page: .first)).first
    }

    /// Whether a status is in an inbox of a user.
    func isDelivered(_ status: ObjectID, to owner: ObjectID) throws -> Bool {
        let mark = JSONValue.string(InboxItem.delivery(of: status, to: owner))
        return try count(.field(InboxItem.delivery, .equals(mark)), in: .inboxItem) > 0
    }
}
