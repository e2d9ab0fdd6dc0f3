/// One item of `POST /batch/save` (protocol/data 2.2).
package struct SaveItem: Sendable {
    /// The object's class.
    package let className: ClassName
    /// The object's id; nothing for one that this request makes.
    package let id: ObjectID?
    /// Whether the object is to be made; else it is changed.
    package let creates: Bool
    /// The key of the reply: the object's id, or what the client calls it until it has one.
    package let internalID: String
    /// What to change.
    package fileprivate(set) var change: ObjectChange
    /// Fields that are to point to other objects of the request.
    package let children: [Child]
    /// What must hold for a change.
    package fileprivate(set) var condition: Condition?
    /// Whether the reply holds the fields as well.
    package let returnsObject: Bool
    /// See ``ObjectCommand/mustExist``.
    package let mustExist: Bool

    /// A field that is to point to an object.
    package struct Child: Sendable {
        /// The class of the object.
        package let className: ClassName
        /// Its id, or what the client calls it.
        package let cid: String
        /// The field.
        package let key: String
    }

    /// Takes checked parts.
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
    /// How many items one transaction takes: they keep all other writers out.
    private static let maxSaves = 1000

    /// Throws ``ServiceError/Code/badRequest`` if a `batch/save` has more items than it may.
    package static func requireFewSaves(_ count: Int) throws {
        guard count <= maxSaves else {
            throw ServiceError(.badRequest, "batch/save has more than \(maxSaves) items, the limit.")
        }
    }

    /// Saves objects that may point to each other: all of them or none.
    ///
    /// - Returns: For each `__internalId` what the single call would return.
    /// - Throws: What the first item that fails throws; nothing is saved then.
    package func save(
        _ items: [SaveItem],
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> JSONValue {
        try ObjectService.requireFewSaves(items.count)
        try AccountPreparation.requireFewPasswords(in: items.filter { $0.className == .user }.map(\.change))
        var items = items
        let budget = budget(presence)
        for index in items.indices {
            if items[index].className == .user {
                items[index].change = try await prepared(items[index].change, of: items[index].id, as: caller)
            }
            try items[index].change.requireSize(within: settings.limits)
            guard let condition = items[index].condition, condition.hasSubqueries else { continue }
            // They see what was there before the request: inside its transaction they would keep all writers waiting.
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
        let replies = try await write(under: conditions, as: caller, within: budget) {
            [items] rules in
            var saving = BatchSaving(rules: rules)
            for item in items { try saving.save(item) }
            return saving.replies
        }
        return .object(replies.mapValues(JSONValue.object))
    }
}

private struct BatchSaving {
    private let rules: ObjectWriteRules
    /// What the request made so far, by `__internalId`; users whom it logged in among them.
    private var made: [String: Pointer] = [:]
    /// Users whom it logged in: what follows for them is done by themselves.
    private var users: [ObjectID: Caller.User] = [:]
    private(set) var replies: [String: [String: JSONValue]] = [:]

    init(rules: ObjectWriteRules) {
        self.rules = rules
    }

    mutating func save(_ item: SaveItem) throws {
        var change = item.change
        for child in item.children {
            let pointer = made[child.cid] ?? ObjectID(child.cid).map { Pointer(child.className, $0) }
            guard let pointer, pointer.className == child.className else {
                throw ServiceError(
                    .malformedPointer,
                    "__children: '\(child.cid.prefix(64))' is not an object of '\(child.className)'."
                )
            }
            change.set(child.key, to: pointer.json)
        }
        let command = ObjectCommand(item.className, try action(of: item, change), mustExist: item.mustExist)
        let reply = try rules(for: command).perform(command)
        var members = try reply.json.objectValue ?? [:]
        if let created = reply.created {
            made[item.internalID] = created
            members["updatedAt"] = members["updatedAt"] ?? members["createdAt"]
        }
        if let user = reply.user {
            made[item.internalID] = Pointer(.user, user.id)
            users[user.id] = user
        }
        replies[item.internalID, default: [:]].merge(members) { _, new in new }
    }

    private func rules(for command: ObjectCommand) -> ObjectWriteRules {
        guard command.className == .user, case .update(let id, _, _, _) = command.action, let user = users[id] else {
            return rules
        }
        return rules.acting(as: rules.access.caller.logged(in: user))
    }

    private func action(of item: SaveItem, _ change: ObjectChange) throws -> ObjectCommand.Action {
        // Objective-C sends the rest of a new object as a PUT without an id: it is the one made before.
        if item.creates {
            guard made[item.internalID] == nil else {
                throw ServiceError(
                    .badRequest,
                    "Two items of batch/save make the object '\(item.internalID.prefix(64))'."
                )
            }
            return .create(change, returnsObject: item.returnsObject)
        }
        guard let id = item.id ?? made[item.internalID]?.id else {
            throw ServiceError(.badRequest, "An item of batch/save changes an object without an id.")
        }
        return .update(id, change, where: item.condition, returnsObject: item.returnsObject)
    }
}
