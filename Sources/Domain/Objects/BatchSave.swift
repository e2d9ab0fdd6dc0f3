/// One item of `POST /batch/save` (protocol/data 2.2).
package struct SaveItem: Sendable {
    /// The object's class.
    package let className: ClassName
    /// The object's id; `nil` for an object that this request creates.
    package let id: ObjectID?
    /// Whether the item creates the object; otherwise it updates it.
    package let creates: Bool
    /// The key in the reply: the object's id, or the client's name for it until it has an id.
    package let internalID: String
    /// The change of the object.
    package fileprivate(set) var change: ObjectChange
    /// Fields to set to pointers to other objects of the request.
    package let children: [Child]
    /// The condition that must hold for an update.
    package fileprivate(set) var condition: Condition?
    /// Whether the reply contains the object's fields.
    package let returnsObject: Bool
    /// See ``ObjectCommand/mustExist``.
    package let mustExist: Bool

    /// A field to set to a pointer to an object.
    package struct Child: Sendable {
        /// The class of the object.
        package let className: ClassName
        /// The object's id, or the client's name for it.
        package let cid: String
        /// The field.
        package let key: String
    }

    /// Creates an item from checked parts.
    package init(
        className: ClassName,
        id: ObjectID?,
        creates: Bool,
        body json: JSONValue,
        where condition: Condition?,
        returnsObject: Bool,
        mustExist: Bool = false
    ) throws {
        self.className = className
        self.id = id
        self.creates = creates
        self.condition = condition
        self.returnsObject = returnsObject
        self.mustExist = mustExist
        let makesFile = creates && className == .file
        change = try makesFile ? ObjectChange(file: json) : ObjectChange(json, allowsPaths: !creates)
        let body = json.objectValue ?? [:]
        guard let name = body["__internalId"]?.stringValue ?? id?.description, !name.isEmpty else {
            throw ServiceError(.badRequest, "An item of batch/save has no __internalId.")
        }
        internalID = name
        guard let children = (body["__children"] ?? .array([])).arrayValue else {
            throw ServiceError(.badRequest, "__children must be an array.")
        }
        self.children = try children.map { child in
            guard let members = child.objectValue, let className = members["className"]?.stringValue,
                let cid = members["cid"]?.stringValue, let key = members["key"]?.stringValue
            else { throw ServiceError(.badRequest, "__children must hold className, cid and key.") }
            try FieldPath.requireFree(key)
            return Child(className: try ClassName(className), cid: cid, key: key)
        }
    }
}

extension ObjectService {
    /// The maximum number of items in one transaction, because the transaction blocks all other writers.
    private static let maxSaves = 1000

    /// Throws ``ServiceError/Code/badRequest`` if a `batch/save` has more items than the limit.
    package static func requireFewSaves(_ count: Int) throws {
        guard count <= maxSaves else {
            throw ServiceError(.badRequest, "batch/save has more than \(maxSaves) items, the limit.")
        }
    }

    /// Saves objects that can point to each other: all of them or none.
    ///
    /// - Returns: For each `__internalId` the reply of the single call; without the object's fields once those before have
    ///   ten times the size of a reply.
    /// - Throws: The error of the first item that fails, or ``ServiceError/Code/timedOut`` if the items take more than
    ///   ``ObjectSettings/transactionTime``; then no item is saved.
    package func save(
        _ items: [SaveItem],
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> SaveReplies {
        try ObjectService.requireFewSaves(items.count)
        try requireLittleAccountWork(of: items, by: caller)
        try ObjectService.requireObjects(of: items)
        var items = items
        let budget = budget(presence)
        for index in items.indices {
            if items[index].className == .user {
                let preparation = AccountPreparation(
                    store: store,
                    settings: settings,
                    caller: caller,
                    mustExist: items[index].mustExist,
                    checksRights: !items[..<index].contains { [.user, .role].contains($0.className) }
                )
                items[index].change = try await prepared(items[index].change, of: items[index].id, by: preparation)
            }
            let item = items[index]
            try await requireSize(of: item.change, to: item.id, in: item.className, by: caller)
            guard let condition = items[index].condition, condition.hasSubqueries else { continue }
            // Sub-queries see the state before the request: inside its transaction they would block all writers.
            items[index].condition = try await resolved(
                condition,
                of: items[index].className,
                as: caller,
                within: budget
            )
        }
        let conditions = items.compactMap { item in
            item.condition.map {
                GuardedChange(className: item.className, ids: item.id.map { [$0] } ?? [], condition: $0)
            }
        }
        return try await write(under: conditions, as: caller, within: budget) {
            [items] rules in
            var saving = BatchSaving(rules: rules, within: budget)
            let time = TransactionTime(rules.settings.transactionTime, of: "batch/save", objects: items.count)
            for item in items {
                try time.acceptObject()
                try saving.save(item)
            }
            return saving.replies
        }
    }

    /// Throws ``ServiceError/Code/badRequest`` for an update without an id of an object that no earlier item creates.
    private static func requireObjects(of items: [SaveItem]) throws {
        var created: Set<String> = []
        for item in items {
            if item.creates {
                created.insert(item.internalID)
            } else if item.id == nil, !created.contains(item.internalID) {
                throw BatchSaving.noID
            }
        }
    }
}

private struct BatchSaving {
    private let rules: ObjectWriteRules
    private var currentRules: CurrentRules
    /// The caller, with the session that an item began in place of its own.
    private var caller: Caller
    /// The objects that the request has created, by `__internalId`, including users whom it logged in and devices that
    /// registered again.
    private var made: [String: Pointer] = [:]
    /// The objects that the request has created, without those that the server had.
    private var created: Set<Pointer> = []
    /// The users whom the request logged in: later items for them are performed as these users.
    private var users: [ObjectID: Caller.User] = [:]
    /// The objects that the request has created or changed, whose conditions no evaluation before it can decide.
    private var changed: Set<Pointer> = []
    private(set) var replies = SaveReplies()
    /// The size in bytes that replies can still have; beyond it they omit the object, as in a batch.
    private var capacity: Int

    static let noID = ServiceError(.badRequest, "An item of batch/save changes an object without an id.")

    init(rules: ObjectWriteRules, within budget: QueryBudget) {
        self.rules = rules
        currentRules = CurrentRules(rules, within: budget)
        caller = rules.access.caller
        capacity = rules.settings.queries.replySize * 10
    }

    mutating func save(_ item: SaveItem) throws {
        var change = item.change
        for child in item.children {
            guard let pointer = try made[child.cid] ?? stored(child), pointer.className == child.className else {
                throw ServiceError(
                    .malformedPointer,
                    "__children: '\(child.cid.prefix(64))' is not an object of '\(child.className)'."
                )
            }
            change.set(child.key, to: pointer.json)
        }
        let known = try objectMadeBefore(by: item)
        if known != nil {
            // A file's record is complete when it is made.
            if item.className == .file { return }
            try SystemFields.require(change.takeSystemFields(), settableBy: rules.access.caller)
            if change.isEmpty { return }
        }
        let command = ObjectCommand(item.className, try action(of: item, change, known), mustExist: item.mustExist)
        let reply = try perform(command, of: item)
        // A log-in shows the user even if the item does not ask for it.
        let shown = capacity > 0 ? reply : reply.brief
        capacity -= reply.size
        if let new = reply.created {
            made[item.internalID] = new
            created.insert(new)
        }
        if item.creates, made[item.internalID] == nil,
            let id = try reply.members["objectId"]?.stringValue.flatMap(ObjectID.init)
        {
            // An installation that the server had, which is not ``created``: further fields need the right to change it.
            made[item.internalID] = Pointer(item.className, id)
        }
        if let user = reply.user {
            made[item.internalID] = Pointer(.user, user.id)
            // Its roles are looked up when an item needs them.
            users[user.id] = Caller.User(id: user.id, session: user.session)
        }
        if let id = command.changed ?? made[item.internalID]?.id { changed.insert(Pointer(item.className, id)) }
        caller = caller.after(reply)
        try replies.add(shown, of: item.internalID)
    }

    /// Performs the command of an item.
    ///
    /// - Throws: Errors of the rules; a ``CostlyCondition`` with a refusal if an earlier item has made or changed the
    ///   object.
    private mutating func perform(_ command: ObjectCommand, of item: SaveItem) throws -> ObjectReply {
        let current = try rules(for: command)
        do {
            return try completes(item, by: command) ? current.complete(command) : current.perform(command)
        } catch let error as CostlyCondition {
            var costly = error
            // An item without an id changes an object that an earlier one has made.
            if item.id.map({ changed.contains(Pointer(item.className, $0)) }) ?? true {
                costly.refusal = ServiceError(
                    .badRequest,
                    "The condition of '\(item.internalID.prefix(64))' takes too long to be checked after an earlier "
                        + "item of batch/save has changed the object. Send this item in a request of its own."
                )
            }
            throw costly
        }
    }

    /// Whether a command has further fields of an object that the request itself has created.
    private func completes(_ item: SaveItem, by command: ObjectCommand) -> Bool {
        guard item.id == nil, let id = command.changed else { return false }
        return created.contains(Pointer(item.className, id))
    }

    /// The rules for the caller with the session and the roles that the items before have left.
    private mutating func rules(for command: ObjectCommand) throws -> ObjectWriteRules {
        guard command.className == .user, let id = command.changed, let user = users[id] else {
            return try currentRules.rules(for: caller)
        }
        return try currentRules.rules(for: caller.logged(in: user))
    }

    /// The existing object of a child that has an id; `nil` for a client's name of an object.
    ///
    /// An id of the server's form needs no object, as in any pointer. Of other ids, such as those of an import, the reply
    /// tells whether an object has them.
    private func stored(_ child: SaveItem.Child) throws -> Pointer? {
        guard let id = ObjectID(child.cid) else { return nil }
        let isKnown = try id.isGenerated || rules.writer.row(id, in: child.className) != nil
        return isKnown ? Pointer(child.className, id) : nil
    }

    /// The object that an earlier POST with the same `__internalId` has made; `nil` for the first one.
    ///
    /// Objective-C sends a new object once for each object that points to it. It also sends each operation on an
    /// installation as a POST, and those have their own rules for known devices.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if that object is of another class.
    private func objectMadeBefore(by item: SaveItem) throws -> Pointer? {
        guard item.creates, item.className != .installation, let known = made[item.internalID] else { return nil }
        guard known.className == item.className else {
            throw ServiceError(
                .badRequest,
                "Two items of batch/save make objects of different classes for '\(item.internalID.prefix(64))'."
            )
        }
        return known
    }

    private func action(of item: SaveItem, _ change: ObjectChange, _ known: Pointer?) throws -> ObjectCommand.Action {
        let returnsObject = item.returnsObject && capacity > 0
        if let known { return .update(known.id, change, where: nil, returnsObject: returnsObject) }
        if item.creates { return .create(change, returnsObject: returnsObject) }
        // Objective-C sends the other fields of a new object as a PUT without an id; it applies to the object created
        // before.
        guard let id = item.id ?? made[item.internalID]?.id else { throw BatchSaving.noID }
        return .update(id, change, where: item.condition, returnsObject: returnsObject)
    }
}
